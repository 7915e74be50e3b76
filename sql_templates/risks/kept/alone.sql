{# How many rows no other row resembles in some columns.
   grain: one row
   in: relation, names (of the columns)
   out: (rows that are alone) #}
SELECT COUNT(*) AS alone
FROM (
    SELECT COUNT(*) AS n
    FROM {{ relation | ident }} AS s
    GROUP BY {{ names | each('CAST(s.@ AS VARCHAR)', ', ') }}
) AS g
WHERE g.n = 1
