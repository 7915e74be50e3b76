{# The place of each row of a table in the order of its content, equal where that is equal, with the
   numbers that are to follow from it.
   grain: one row per row of the table
   in: table, columns (its content: see release/macros), numbers (names of the others)
   out: a SELECT of (place, n1 …) #}
{% from 'release/macros.sql' import keys %}
SELECT
{% if columns %}
    DENSE_RANK() OVER (ORDER BY {{ keys(columns) }}) AS place
{% else %}
    CAST(1 AS BIGINT) AS place
{% endif %}
{% for name in numbers %}
    , r.{{ name | ident }} AS n{{ loop.index | integer }}
{% endfor %}
FROM {{ table | ident }} AS r
