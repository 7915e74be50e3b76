{# grain: one row
   in: relation, columns
   out: the number of distinct values of each column, NULL left aside #}
SELECT
{% for column in columns %}
    COUNT(DISTINCT CAST(s.{{ column.name | ident }} AS VARCHAR)){% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ relation | ident }} AS s
