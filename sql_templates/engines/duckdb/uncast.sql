{# How many rows have a value that is none of the type that the policy gives, or would be rounded
   by it.
   grain: one row
   in: table, columns (name, and the type that they are to have)
   out: a count for each #}
SELECT
{% for column in columns %}
    COUNT(*) FILTER (
        WHERE t.{{ column.name | ident }} IS NOT NULL
            AND (
                TRY_CAST(t.{{ column.name | ident }} AS {{ column.type | sql_type }}) IS NULL
                {% if column.kind in ('integer', 'decimal') %}
                OR TRY_CAST(t.{{ column.name | ident }} AS DOUBLE) IS DISTINCT FROM
                CAST(
                    TRY_CAST(t.{{ column.name | ident }} AS {{ column.type | sql_type }})
                    AS DOUBLE
                )
                {% elif column.kind == 'date' %}
                OR TRY_CAST(t.{{ column.name | ident }} AS TIMESTAMP) IS DISTINCT FROM
                CAST(TRY_CAST(t.{{ column.name | ident }} AS DATE) AS TIMESTAMP)
                {% endif %}
            )
    ) AS {{ ('n' ~ loop.index) | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS t
