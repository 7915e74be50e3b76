{# in: source_text, columns (name, type)
   out: table source_rows with those types #}
CREATE TABLE source_rows AS
SELECT
{% for column in columns %}
    CAST({{ column.name | ident }} AS {{ column.type | sql_type }}) AS {{ column.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM source_text
