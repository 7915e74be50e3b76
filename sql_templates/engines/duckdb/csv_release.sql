{# A CSV release as a table: every field as text, cast to the type that the companion tells; nothing
   is guessed from the file. One thread reads: line feeds in quotes mislead several.
   grain: one row per row of the file
   in: path, table, columns (name, type), in the file's order
   out: the table #}
CREATE TABLE {{ table | ident }} AS
SELECT
{% for column in columns %}
    CAST(p.{{ ('c' ~ loop.index) | ident }} AS {{ column.type | sql_type }})
        AS {{ column.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM READ_CSV(
    {{ path | file }},
    delim = ',', header = TRUE, quote = '"', escape = '"', nullstr = '', all_varchar = TRUE,
        hive_partitioning = FALSE,
    auto_detect = FALSE, strict_mode = TRUE, allow_quoted_nulls = FALSE, parallel = FALSE,
        max_line_size = 100000000, new_line = '\n',
    columns = {
    {% for column in columns %}
        {{ ('c' ~ loop.index) | literal }}: 'VARCHAR'{% if not loop.last %}, {% endif %}
    {% endfor %}
    }
) AS p
