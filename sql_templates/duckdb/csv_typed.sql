{# in: text (a table of texts), table, columns (name, type)
   out: the table with those types #}
CREATE TABLE {{ table | ident }} AS
SELECT
{% for column in columns %}
    CAST({{ column.name | ident }} AS {{ column.type | sql_type }}) AS {{ column.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ text | ident }}
