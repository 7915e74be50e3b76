{# in: lists of (run, node, columns, levels, height, satisfied, rule, implied_by, ms, classes, smallest_class, suppressed,
       loss), bound
   out: appended to the lattice #}
INSERT INTO nodes (run, node, levels, height, satisfied, rule, implied_by, ms, classes, smallest_class, suppressed, loss)
SELECT n.run, n.node, MAP(n.names, n.levels), n.height, n.satisfied, n.rule, n.implied_by, n.ms, n.classes, n.smallest_class, n.suppressed, n.loss
FROM (
    SELECT
        UNNEST(?) AS run, UNNEST(?) AS node, UNNEST(?) AS names, UNNEST(?) AS levels, UNNEST(?) AS height, UNNEST(?) AS satisfied,
        UNNEST(?) AS rule, UNNEST(?) AS implied_by, UNNEST(?) AS ms, UNNEST(?) AS classes, UNNEST(?) AS smallest_class,
        UNNEST(?) AS suppressed, UNNEST(?) AS loss
) AS n
