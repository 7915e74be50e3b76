{# What a column numbers (people, groups, rows), with what its rows have.
   grain: one row per number
   in: table, number (the column), values (index, name, text: see macros), several (whether a number
       has several rows)
   out: a SELECT of (number, x<index>: the least value, y<index>: the greatest, n: rows) #}
{% from 'verification/order/macros.sql' import ordered %}
SELECT
    r.{{ number | ident }} AS number
{% for v in values %}
    , MIN({{ ordered(v) }}) AS x{{ v.index | integer }}
    {% if several %}
    , MAX({{ ordered(v) }}) AS y{{ v.index | integer }}
    {% endif %}
{% endfor %}
    , COUNT(*) AS n
FROM {{ table | ident }} AS r
WHERE r.{{ number | ident }} IS NOT NULL
GROUP BY r.{{ number | ident }}
