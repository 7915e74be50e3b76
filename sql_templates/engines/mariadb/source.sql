{# The source as statements take it: text compared byte by byte whatever its collation, types that
   other databases lack as text or numbers.
   grain: one row per row of the table
   in: view, table, casts [(column, cast)], collation
   out: the view, read with the rights of who reads it #}
CREATE SQL SECURITY INVOKER VIEW {{ view | backquoted }} AS
SELECT
{% for column, cast in casts %}
    {% if cast == 'TEXT' %}
    CONVERT(s.{{ column.name | backquoted }} USING utf8mb4) COLLATE {{ collation | sql_type }}
    {% elif cast == 'CHAR' %}
    CONVERT(CAST(s.{{ column.name | backquoted }} AS CHAR) USING utf8mb4)
        COLLATE {{ collation | sql_type }}
    {% elif cast == 'SIGNED' %}
    CAST(s.{{ column.name | backquoted }} AS SIGNED)
    {% elif cast == 'FLOAT' %}
    CAST(CAST(s.{{ column.name | backquoted }} AS CHAR) AS DOUBLE)
    {% else %}
    s.{{ column.name | backquoted }}
    {% endif %}
    AS {{ column.name | backquoted }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | backquoted }} AS s
