{# The rows of one side.
   grain: one row per distinct combination of kept and quasi-identifying values, in their order
   in: relocated_rows, side, attributes
   out: (kept, v<i> …, n) #}
SELECT
    r.kept,
    {{ attributes | each('r.v#,') }}
    CAST(SUM(r.n) AS BIGINT) AS n
FROM relocated_rows AS r
WHERE r.side = {{ side | integer }}
GROUP BY r.kept, {{ attributes | listed('r.v#') }}
ORDER BY r.kept, {{ attributes | listed('r.v#') }}
