{# The rows of a table that travelled to the clean writer, with the types that they get.
   in: paths and format (see engines/duckdb/travelled), columns (name, type, form: plain, text, hex
       or
       moment)
   out: a SELECT, rows in the file's order #}
SELECT
{% for column in columns %}
    {% set field = column.name if format == 'parquet' else 'c' ~ loop.index %}
    {% if column.form == 'hex' %}UNHEX(p.{{ field | ident }})
        {% else %}CAST(p.{{ field | ident }} AS {{ column.type | sql_type }}){% endif %}
        AS {{ column.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {% include 'engines/duckdb/travelled.sql' %}
