{# Whether every class of groups keeps the promise; groups with equal values are one class.
   grain: one row
   in: placed, stock, regions (table, see methods/cells/finer/regions), keys (l1, g1 … ln, gn),
       promise
   out: how many classes break it #}
WITH rolled AS (
    SELECT
        {{ keys | idents('r') }},
        {{ promise.extras | each('t.@,') }}
        {{ promise.weights | listed('CAST(SUM(t.@) AS BIGINT) AS @') }}
    FROM placed AS p
    JOIN stock AS t ON t.cell = p.cell
    JOIN {{ regions | ident }} AS r ON r.grp = p.grp
    GROUP BY {{ keys | idents('r') }}{{ promise.extras | each(', t.@') }}
)
SELECT COUNT(*) AS broken
FROM (
    {% with table = 'rolled' %}{% include 'privacy/classes.sql' %}{% endwith +%}
) AS x
WHERE NOT x.ok
