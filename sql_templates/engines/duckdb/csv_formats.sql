{# Which formats the dates of a CSV file's column have.
   grain: one row
   in: table (see engines/duckdb/csv_values), tokens (texts that mean that a value is missing), formats
   out: for each format, how many distinct values are dates by it #}
{% from 'engines/duckdb/macros.sql' import misfit %}
SELECT
{% for format in formats %}
    COUNT(*) FILTER (WHERE NOT ({{ misfit(['b', 'bare'], 'TIMESTAMP', none, format) }}))
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS b
WHERE b.bare NOT IN ({{ tokens | literals }})
