{# grain: one row
   in: table, columns (as star/value takes them)
   out: for each column the number of its values that are not NULL, and how many of those differ #}
SELECT
{% for a in columns %}
    COUNT(s.{{ a.name | ident }}),
    COUNT(DISTINCT {% with side = 's' %}{% include 'star/value.sql' %}{% endwith %}){% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS s
