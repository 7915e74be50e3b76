{# How many rows a table has, and how many different numbers its columns of numbers.
   grain: one row
   in: table, numbers (names of columns)
   out: (rows, and for each column: rows that have a number, different numbers) #}
SELECT
    COUNT(*) AS n
{% for name in numbers %}
    , COUNT(r.{{ name | ident }}), COUNT(DISTINCT r.{{ name | ident }})
{% endfor %}
FROM {{ table | ident }} AS r
