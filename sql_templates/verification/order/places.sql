{# The places of a table's rows by what they hold besides numbers; rows that hold the same share one.
   grain: one row per row of the table
   in: table, keys (see macros), numbers (names of columns)
   out: a SELECT of (place, n1 …: the numbers) #}
{% from 'verification/order/macros.sql' import compared %}
SELECT
    {% for key in keys %}
    {% if loop.first %}DENSE_RANK() OVER (ORDER BY{% endif %}
        {{ compared(key) }} NULLS FIRST{% if not loop.last %},{% else %}){% endif +%}
    {% else %}
    CAST(1 AS BIGINT)
    {% endfor %}
    AS place
    {% for name in numbers %}
    , r.{{ name | ident }} AS n{{ loop.index | integer }}
    {% endfor %}
FROM {{ table | ident }} AS r
