{# What the distinct values of a CSV file's column look like, without blanks around them.
   grain: one row
   in: table (see engines/duckdb/csv_values), tokens (texts that often mean that a value is missing),
       blanks
   out: (values that are no token; rows with blanks around their value; values that are tokens; of
       the others: numbers with a decimal point, or with a comma; dates and times in ISO form; what
       may be dates in another form; values of plus signs alone; values, and values without their
       case, of which each is a token or not; whether most rows are in upper case) #}
{% from 'engines/duckdb/macros.sql' import misfit, no_number, unpadded %}
SELECT
    COUNT(*) FILTER (WHERE NOT b.token),
    CAST(COALESCE(SUM(b.often) FILTER (WHERE b.padded), 0) AS BIGINT),
    COUNT(*) FILTER (WHERE b.token),
    COUNT(*) FILTER (WHERE NOT b.token AND NOT {{ no_number(['b', 'v'], false) }}),
    COUNT(*) FILTER (WHERE NOT b.token AND NOT {{ no_number(['b', 'v'], true) }}),
    GREATEST(
        COUNT(*) FILTER (WHERE NOT b.token AND NOT ({{ misfit(['b', 'v'], 'DATE', false, none) }})),
        COUNT(*) FILTER (
            WHERE NOT b.token AND NOT ({{ misfit(['b', 'v'], 'TIMESTAMP', false, none) }})
        )
    ),
    COUNT(*) FILTER (WHERE NOT b.token AND REGEXP_FULL_MATCH(
        b.v, '[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{2,4}([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?')),
    COUNT(*) FILTER (WHERE REGEXP_FULL_MATCH(b.v, '[+]+')),
    COUNT(*) FILTER (WHERE NOT b.token),
    COUNT(DISTINCT LOWER(b.v)) FILTER (WHERE NOT b.token),
    COALESCE(SUM(b.often) FILTER (WHERE b.v = UPPER(b.v)) * 2 > SUM(b.often), FALSE)
FROM (
    SELECT
        {{ unpadded(['d', 'v'], blanks) }} AS v,
        d.often,
        {{ unpadded(['d', 'v'], blanks) }} <> d.v AS padded,
        {{ unpadded(['d', 'v'], blanks) }} IN ({{ tokens | literals }}) AS token
    FROM {{ table | ident }} AS d
    WHERE {{ unpadded(['d', 'v'], blanks) }} <> ''
) AS b
