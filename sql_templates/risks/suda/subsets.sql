{# How many rows are minimally alone in each set of columns.
   grain: one row per set that some row is alone in, in order
   in: found (the tables of a level)
   out: (number of the set, rows) #}
SELECT u.subset, COUNT(*) AS rows
FROM (
    {% for table in found %}
    SELECT t.subset FROM {{ table | ident }} AS t
    {% if not loop.last %}UNION ALL{% endif +%}
    {% endfor %}
) AS u
GROUP BY u.subset
ORDER BY u.subset
