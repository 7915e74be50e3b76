{# in: lists of (run, node, levels: `index:level,…`, height, satisfied, rule, implied_by, ms,
       classes, smallest_class, suppressed, loss), bound; names [(index, column)]
   out: appended to the lattice #}
INSERT INTO nodes (run, node, levels, height, satisfied, rule, implied_by, ms, classes,
    smallest_class, suppressed, loss)
SELECT
    n.run, n.node,
    MAP(
        LIST_TRANSFORM(STRING_SPLIT(n.levels, ','),
            lambda each: c.names[CAST(SPLIT_PART(each, ':', 1) AS INTEGER)]),
        LIST_TRANSFORM(STRING_SPLIT(n.levels, ','),
            lambda each: CAST(SPLIT_PART(each, ':', 2) AS INTEGER))
    ),
    n.height, n.satisfied, n.rule, n.implied_by, n.ms, n.classes, n.smallest_class,
        n.suppressed, n.loss
FROM (
    SELECT
        UNNEST(?) AS run, UNNEST(?) AS node, UNNEST(?) AS levels, UNNEST(?) AS height,
            UNNEST(?) AS satisfied,
        UNNEST(?) AS rule, UNNEST(?) AS implied_by, UNNEST(?) AS ms, UNNEST(?) AS classes,
            UNNEST(?) AS smallest_class,
        UNNEST(?) AS suppressed, UNNEST(?) AS loss
) AS n, (SELECT LIST(a.name ORDER BY a.index) AS names
    FROM (VALUES {{ names | rows }}) AS a (index, name)) AS c
