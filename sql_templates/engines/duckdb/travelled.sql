{# The rows of a table that travelled to the clean writer, as the file on the way has them: part of
   a statement.
   in: paths, format ('parquet', or 'csv' with a first field that keeps lines from being empty),
       columns. Lines end in a line feed: DuckDB, which looks for their end in the first line, could
       take a return in quotes for it
   out: a table function as p, rows in the file's order #}
{% if format == 'parquet' %}
READ_PARQUET({{ paths | files }}, hive_partitioning = FALSE) AS p
{% else %}
READ_CSV(
    {{ paths | files }},
    delim = ',', header = FALSE, quote = '"', escape = '"', all_varchar = TRUE,
        hive_partitioning = FALSE,
    auto_detect = FALSE, strict_mode = TRUE, allow_quoted_nulls = FALSE, parallel = FALSE,
        max_line_size = 100000000, new_line = '\n',
    columns = { 'c0': 'VARCHAR'{% for column in columns %},
        {{ ('c' ~ loop.index) | literal }}: 'VARCHAR'{% endfor %} }
) AS p
{% endif %}
