{# in: text (a table of texts), table, columns (name, type), names (the columns' in the table of
       texts)
   out: the table with those types #}
CREATE TABLE {{ table | ident }} AS
SELECT
{% for column in columns %}
    CAST({{ names[loop.index0] | ident }} AS {{ column.type | sql_type }})
        AS {{ column.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ text | ident }}
