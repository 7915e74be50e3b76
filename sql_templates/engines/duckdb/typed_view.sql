{# A view of a Parquet file with other types of some columns.
   grain: one row per row of the file
   in: file (the view of the file), name, columns (name, type)
   out: the view #}
CREATE OR REPLACE VIEW {{ name | ident }} AS
SELECT * REPLACE (
{% for column in columns %}
    CAST(f.{{ column.name | ident }} AS {{ column.type | sql_type }})
        AS {{ column.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
)
FROM {{ file | ident }} AS f
