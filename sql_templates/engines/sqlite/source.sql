{# The source as statements take it: text compared byte by byte, numbers of one kind, timestamps
   written in one way.
   grain: one row per row of the table
   in: view, table, columns (with the types that their values have)
   out: a view of the session #}
CREATE TEMPORARY VIEW {{ view | ident }} AS
SELECT
{% for column in columns %}
    {% if column.kind == 'text' %}
    s.{{ column.name | ident }} COLLATE BINARY
    {% elif column.kind == 'float' %}
    CAST(s.{{ column.name | ident }} AS REAL)
    {% elif column.kind == 'timestamp' %}
    CASE
        WHEN LENGTH(s.{{ column.name | ident }}) = 10
        THEN s.{{ column.name | ident }} || ' 00:00:00'
        WHEN LENGTH(s.{{ column.name | ident }}) > 19
        THEN RTRIM(RTRIM(REPLACE(s.{{ column.name | ident }}, 'T', ' '), '0'), '.')
        ELSE REPLACE(s.{{ column.name | ident }}, 'T', ' ')
    END
    {% else %}
    s.{{ column.name | ident }}
    {% endif %}
    AS {{ column.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS s
