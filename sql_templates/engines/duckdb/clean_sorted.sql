{# The rows of a table that travelled to the clean writer, as they are stored.
   in: what engines/duckdb/clean_rows takes, sorted (the columns that rows are sorted by, see
       release/macros; none where they stay in the file's order)
   out: a SELECT, rows in that order #}
{% from 'release/macros.sql' import keys %}
SELECT {{ columns | listed('r.@') }}
FROM (
    {% include 'engines/duckdb/clean_rows.sql' %}
) AS r
{% if sorted %}
ORDER BY {{ keys(sorted) }}
{% endif %}
