{# The rows of a CSV file as text, as the policy says that they are read.
   grain: one row per row of the file
   in: view, path and delimiter of the file, skip (lines above its header), header (whether its first
       line is left out), columns (in the file's order: field, and what engines/duckdb/macros
       takes of it)
   out: the view, empty fields as NULL #}
{% from 'engines/duckdb/macros.sql' import bare, mended %}
CREATE OR REPLACE VIEW {{ view | ident }} AS
SELECT
{% for c in columns %}
    {{ mended(c) }} AS {{ c.field | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM (
    SELECT
    {% for c in columns %}
        {{ bare(c) }} AS {{ c.field | ident }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM READ_CSV(
        {{ path | file }},
        delim = {{ delimiter | literal }}, skip = {{ skip | integer }},
        header = {{ header | literal }}, quote = '"', escape = '"',
        all_varchar = TRUE, hive_partitioning = FALSE,
        auto_detect = FALSE, strict_mode = TRUE,
        columns = {
        {% for c in columns %}
            {{ c.field | literal }}: 'VARCHAR'{% if not loop.last %}, {% endif %}
        {% endfor %}
        }
    ) AS f
) AS t
