{# Surrogates that more rows have than any value of the source that is left for them: the most
   frequent one must be of the most frequent values, and so on.
   grain: one row
   in: source, table, column (of the source) and name (in the table)
   out: (number of surrogates) #}
SELECT COUNT(*) AS found
FROM (
    SELECT g.n, ROW_NUMBER() OVER (ORDER BY g.n DESC NULLS LAST) AS place
    FROM (
        SELECT COUNT(*) AS n
        FROM {{ table | ident }} AS p
        WHERE p.{{ name | ident }} IS NOT NULL
        GROUP BY p.{{ name | ident }}
    ) AS g
) AS r
LEFT JOIN (
    SELECT g.n, ROW_NUMBER() OVER (ORDER BY g.n DESC NULLS LAST) AS place
    FROM (
        SELECT COUNT(*) AS n
        FROM {{ source | ident }} AS o
        WHERE o.{{ column | ident }} IS NOT NULL
        GROUP BY o.{{ column | ident }}
    ) AS g
) AS s ON s.place = r.place
WHERE COALESCE(s.n, 0) < r.n
