{# Which formats the dates of a CSV file's column have.
   grain: one row
   in: table (see engines/duckdb/csv_values), tokens (texts that mean that a value is missing),
       blanks, formats
   out: for each format, how many distinct values are dates by it #}
{% from 'engines/duckdb/macros.sql' import misfit, unpadded %}
SELECT
{% for format in formats %}
    COUNT(*) FILTER (WHERE NOT ({{ misfit(['b', 'v'], 'TIMESTAMP', false, format) }}))
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM (
    SELECT {{ unpadded(['d', 'v'], blanks) }} AS v FROM {{ table | ident }} AS d
) AS b
WHERE b.v <> '' AND b.v NOT IN ({{ tokens | literals }})
