{# A scratch table leaves for another engine.
   in: table, columns (name, type that they get), path, format ('parquet', or 'csv' as PostgreSQL
       reads it: quoted where it is not NULL, years before Christ marked at the end)
   out: the file #}
COPY (
    SELECT
    {% for column in columns %}
        {% if format == 'csv' and column.type == 'VARCHAR[]' %}
        '{' || ARRAY_TO_STRING(LIST_TRANSFORM(s.{{ column.name | ident }}, LAMBDA x: COALESCE(
            '"' || REPLACE(REPLACE(x, '\', '\\'), '"', '\"') || '"', 'NULL')), ',') || '}'
        {% elif format == 'csv' and column.kind in ('date', 'timestamp') %}
        CASE WHEN CAST(s.{{ column.name | ident }} AS VARCHAR) LIKE '% (BC)%'
            THEN REPLACE(CAST(s.{{ column.name | ident }} AS VARCHAR), ' (BC)', '') || ' BC'
            ELSE CAST(s.{{ column.name | ident }} AS VARCHAR) END
        {% else %}
        CAST(s.{{ column.name | ident }} AS {{ column.type | sql_type }})
        {% endif %}
        AS {{ column.name | ident }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM {{ table | ident }} AS s
) TO {{ path | literal }}
{% if format == 'csv' %}(FORMAT CSV, HEADER FALSE, FORCE_QUOTE *)
{%- else %}(FORMAT PARQUET){% endif %}
