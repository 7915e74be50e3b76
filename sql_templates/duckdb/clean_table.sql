{# in: table, columns (name, type, plain), path of the staged Parquet file
   out: the released table, rows in the file's order #}
CREATE TABLE release.main.{{ table | ident }} AS
SELECT
{% for column in columns %}
    {% if column.plain %}p.{{ column.name | ident }}{% else %}CAST(p.{{ column.name | ident }} AS {{ column.type | sql_type }}) AS {{ column.name | ident }}{% endif %}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM READ_PARQUET({{ path | file }}, hive_partitioning = FALSE) AS p
