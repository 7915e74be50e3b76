{# How many rows of a CSV file have a value that is none of the type that the policy gives, or would
   be rounded by it.
   grain: one row
   in: relation (of texts), columns (field, type, kind, mark, format), tokens (texts that often mean
       that a value is missing)
   out: for each column, a count, and how many of these are such tokens #}
{% from 'engines/duckdb/macros.sql' import uncast %}
SELECT
{% for c in columns %}
    COUNT(*) FILTER (
        WHERE {{ uncast(['t', c.field], c.type, c.kind, c.mark, c.format) }}
    ),
    COUNT(*) FILTER (
        WHERE t.{{ c.field | ident }} IN ({{ tokens | literals }})
            AND ({{ uncast(['t', c.field], c.type, c.kind, c.mark, c.format) }})
    ){% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ relation | ident }} AS t
