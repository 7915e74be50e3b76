{# What the distinct values of a CSV file's column look like.
   grain: one row
   in: table (see engines/duckdb/csv_values), tokens (texts that often mean that a value is missing)
   out: (values that are no token; rows with blanks around their value; of the others: numbers with
       a decimal point, with a decimal comma, or with a point and commas between thousands; dates
       and times in ISO form; what may be dates in another form; values of plus signs alone; values
       with a point; those in which it may stand between thousands) #}
{% from 'engines/duckdb/macros.sql' import misfit, no_number %}
SELECT
    COUNT(*) FILTER (WHERE NOT b.token),
    CAST(COALESCE(SUM(b.often) FILTER (WHERE b.padded), 0) AS BIGINT),
    COUNT(*) FILTER (WHERE NOT b.token AND NOT {{ no_number(['b', 'bare'], none) }}),
    COUNT(*) FILTER (WHERE NOT b.token AND NOT {{ no_number(['b', 'bare'], ',') }}),
    COUNT(*) FILTER (WHERE NOT b.token AND NOT {{ no_number(['b', 'bare'], '.') }}),
    GREATEST(
        COUNT(*) FILTER (
            WHERE NOT b.token AND NOT ({{ misfit(['b', 'bare'], 'DATE', none, none) }})
        ),
        COUNT(*) FILTER (
            WHERE NOT b.token AND NOT ({{ misfit(['b', 'bare'], 'TIMESTAMP', none, none) }})
        )
    ),
    COUNT(*) FILTER (WHERE NOT b.token AND REGEXP_FULL_MATCH(
        b.bare, '[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{2,4}([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?')),
    COUNT(*) FILTER (WHERE b.bare IN ('+', '++', '+++')),
    COUNT(*) FILTER (WHERE NOT b.token AND CONTAINS(b.bare, '.')),
    COUNT(*) FILTER (WHERE REGEXP_FULL_MATCH(b.bare, '-?[1-9][0-9]{0,2}\.[0-9]{3}'))
FROM (
    SELECT d.bare, d.often, d.padded, d.bare IN ({{ tokens | literals }}) AS token
    FROM {{ table | ident }} AS d
) AS b
