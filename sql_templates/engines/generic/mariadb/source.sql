{# The source as statements take it: text compared byte by byte whatever its collation, types that
   other databases lack as text or numbers.
   grain: one row per row of the table
   in: view, table, casts [(column, cast)], collation
   out: the view, read with the rights of who reads it #}
CREATE SQL SECURITY INVOKER VIEW {{ view | spark_ident }} AS
SELECT
{% for column, cast in casts %}
    {% if cast == 'TEXT' %}
    CONVERT(s.{{ column.name | spark_ident }} USING utf8mb4) COLLATE {{ collation | sql_type }}
    {% elif cast == 'CHAR' %}
    CONVERT(CAST(s.{{ column.name | spark_ident }} AS CHAR) USING utf8mb4)
        COLLATE {{ collation | sql_type }}
    {% elif cast == 'SIGNED' %}
    CAST(s.{{ column.name | spark_ident }} AS SIGNED)
    {% elif cast == 'FLOAT' %}
    CAST(CAST(s.{{ column.name | spark_ident }} AS CHAR) AS DOUBLE)
    {% else %}
    s.{{ column.name | spark_ident }}
    {% endif %}
    AS {{ column.name | spark_ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | spark_ident }} AS s
