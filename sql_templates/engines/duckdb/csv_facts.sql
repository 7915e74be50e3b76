{# Which types the texts of a CSV file's columns are.
   grain: one row per column, where there are rows
   in: relation (of texts), fields (names of columns), mark (the decimal mark that the
       policy gives, or none),
       format (of their dates, or none), types (DECIMAL: of any digits), tokens (texts that often mean
       that a value is missing), blanks
   out: (field; how many values are none of each type, and no dates of the format; how many there
       are; how many digits they have after the decimal mark at least and at most; how many end in a
       zero that the number does not need, have blanks around them, are a token without these; how
       many of the others would be numbers, or dates, without them, are numbers with a decimal comma,
       or may be dates of another format) #}
{% from 'engines/duckdb/macros.sql' import misfit, no_number, unpadded %}
SELECT
    b.field,
    {% for type in types %}
    COUNT(*) FILTER (WHERE {{ misfit(['b', 'v'], type, mark, none) }}),
    {% endfor %}
    {% if format %}
    COUNT(*) FILTER (WHERE {{ misfit(['b', 'v'], 'TIMESTAMP', mark, format) }}),
    {% else %}
    COUNT(b.v),
    {% endif %}
    COUNT(b.v),
    COALESCE(MIN(LENGTH(SPLIT_PART(b.v, {{ (mark or '.') | literal }}, 2))), 0),
    COALESCE(MAX(LENGTH(SPLIT_PART(b.v, {{ (mark or '.') | literal }}, 2))), 0),
    COUNT(*) FILTER (WHERE REGEXP_MATCHES(b.v, '[.,][0-9]+0$')),
    COUNT(*) FILTER (WHERE b.v <> b.bare),
    COUNT(*) FILTER (WHERE b.bare IN ({{ tokens | literals }})),
    COUNT(*) FILTER (
        WHERE b.bare NOT IN ({{ tokens | literals }}) AND NOT {{ no_number(['b', 'bare'], mark) }}
    ),
    COUNT(*) FILTER (
        WHERE b.bare NOT IN ({{ tokens | literals }})
            AND NOT ({{ misfit(['b', 'bare'], 'DATE', mark, format) }})
    ),
    COUNT(*) FILTER (
        WHERE b.bare NOT IN ({{ tokens | literals }}) AND NOT {{ no_number(['b', 'bare'], ',') }}
    ),
    COUNT(*) FILTER (
        WHERE b.bare NOT IN ({{ tokens | literals }})
            AND REGEXP_FULL_MATCH(b.bare,
                '[0-9]{1,2}[-./][0-9]{1,2}[-./][0-9]{4}|[0-9]{4}[./][0-9]{1,2}[./][0-9]{1,2}')
    )
FROM (
    SELECT u.field, u.v, {{ unpadded(['u', 'v'], blanks) }} AS bare
    FROM (
        SELECT
            UNNEST([{{ fields | literals }}]) AS field,
            UNNEST([{{ fields | idents('t') }}]) AS v
        FROM {{ relation | ident }} AS t
    ) AS u
) AS b
GROUP BY b.field
