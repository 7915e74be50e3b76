{# in: table, path and delimiter of a CSV file, names (of its columns), header (whether its first
       line is to be left out)
   out: the table, every column as text, empty fields as NULL #}
CREATE TABLE {{ table | ident }} AS
SELECT *
FROM READ_CSV(
    {{ path | file }},
    delim = {{ delimiter | literal }}, header = {{ header | literal }}, quote = '"', escape = '"',
        all_varchar = TRUE, hive_partitioning = FALSE,
    auto_detect = FALSE, strict_mode = TRUE,
    columns = {
    {% for name in names %}
        {{ name | literal }}: 'VARCHAR'{% if not loop.last %}, {% endif %}
    {% endfor %}
    }
)
