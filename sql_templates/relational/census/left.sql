{# The rows of a table that are not of some people.
   grain: one row per row of the table
   in: table, column (that says whose a row is), gone (tables of people)
   out: a SELECT of the columns of the table #}
SELECT t.*
FROM {{ table | ident }} AS t
LEFT JOIN (
{% for name in gone %}
    SELECT x.id FROM {{ name | ident }} AS x
    {% if not loop.last %}UNION{% endif +%}
{% endfor %}
) AS g ON g.id = t.{{ column | ident }}
WHERE g.id IS NULL
