{# The values of quasi-identifying and sensitive columns that enough rows have.
   grain: one row per column and value
   in: cells, attributes, group_values where there are sensitive columns (valued), least (rows that
       a value has)
   out: table group_totals(number: index of the column, code: of the value, n: rows) #}
CREATE TABLE group_totals AS
{% for a in attributes %}
SELECT # AS number, CAST(t.c# AS BIGINT) AS code, CAST(SUM(t.n) AS BIGINT) AS n
FROM cells AS t
GROUP BY t.c#
HAVING SUM(t.n) >= {{ least | integer }}
{% if valued or not loop.last %}UNION ALL{% endif +%}
{% endfor %}
{% if valued %}
SELECT v.number, v.code, CAST(SUM(v.n) AS BIGINT) AS n
FROM group_values AS v
GROUP BY v.number, v.code
{% endif %}
