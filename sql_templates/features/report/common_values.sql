{# The commonest values of a released column, none that fewer rows have than k.
   grain: one row per value
   in: table (of the release), column, counted (the column that says how many rows a value stands
       for, or none: each row for one), k, most (how many values at most)
   out: (value as text, rows) #}
SELECT g.word, g.n
FROM (
    SELECT CAST(r.{{ column | ident }} AS VARCHAR) AS word,
        CAST(
            {% if counted %}SUM(r.{{ counted | ident }}){% else %}COUNT(*){% endif +%}
            AS BIGINT
        ) AS n
    FROM {{ table | ident }} AS r
    GROUP BY CAST(r.{{ column | ident }} AS VARCHAR)
) AS g
WHERE g.n >= {{ k | integer }}
ORDER BY g.n DESC NULLS LAST, g.word NULLS FIRST
LIMIT {{ most | integer }}
