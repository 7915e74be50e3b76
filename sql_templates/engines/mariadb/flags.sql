{# grain: one row
   in: table, columns (of type TINYINT(1))
   out: for each column, how many values are neither 0 nor 1 #}
SELECT
{% for column in columns %}
    COUNT(CASE WHEN s.{{ column.name | backquoted }} NOT IN (0, 1) THEN 1 END)
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | backquoted }} AS s
