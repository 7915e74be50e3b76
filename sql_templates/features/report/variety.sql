{# How many different values a released column has.
   grain: one row
   in: table (of the release), column, counted (the column that says how many rows a value stands
       for, or none: each row for one), k
   out: (values, those that at least k rows have) #}
SELECT
    COUNT(*) AS distinct_values,
    COUNT(CASE WHEN g.n >= {{ k | integer }} THEN 1 END) AS common_values
FROM (
    SELECT CAST(r.{{ column | ident }} AS VARCHAR) AS word,
        CAST(
            {% if counted %}SUM(r.{{ counted | ident }}){% else %}COUNT(*){% endif +%}
            AS BIGINT
        ) AS n
    FROM {{ table | ident }} AS r
    GROUP BY CAST(r.{{ column | ident }} AS VARCHAR)
) AS g
