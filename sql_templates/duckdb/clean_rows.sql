{# The rows of a table that travelled to the clean writer, with the types they left with.
   in: paths, format ('parquet', or 'csv' with a first field that keeps lines from being empty),
       columns (name, type, form: plain, text or hex)
   out: a SELECT, rows in the file's order #}
SELECT
{% for column in columns %}
    {% set field = column.name if format == 'parquet' else 'c' ~ loop.index %}
    {% if column.form == 'plain' %}p.{{ field | ident }}{% elif column.form == 'hex' %}UNHEX(p.{{ field | ident }}){% else %}CAST(p.{{ field | ident }} AS {{ column.type | sql_type }}){% endif %} AS {{ column.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
{% if format == 'parquet' %}
FROM READ_PARQUET({{ paths | files }}, hive_partitioning = FALSE) AS p
{% else %}
FROM READ_CSV(
    {{ paths | files }},
    delim = ',', header = FALSE, quote = '"', escape = '"', all_varchar = TRUE, hive_partitioning = FALSE,
    auto_detect = FALSE, strict_mode = TRUE, allow_quoted_nulls = FALSE, parallel = FALSE, max_line_size = 100000000,
    columns = { 'c0': 'VARCHAR'{% for column in columns %}, {{ ('c' ~ loop.index) | literal }}: 'VARCHAR'{% endfor %} }
) AS p
{% endif %}
