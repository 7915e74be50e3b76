{# Which types the texts of a CSV file's columns are.
   grain: one row
   in: relation (of texts), columns (field, comma, format), types (DECIMAL: of any digits), tokens
       (texts that often mean that a value is missing), blanks
   out: for each column, how many values are none of each type, and of dates in its format; how many
       there are, and how many digits they have after the decimal mark at least and at most; how many
       end in a zero that the number does not need; how many have blanks around them, how many are a token without these, and how many of the others would
       be numbers, or dates, without them, are numbers with a decimal comma, or may be dates of
       another format #}
{% from 'engines/duckdb/macros.sql' import misfit, no_number, unpadded %}
{% for c in columns %}
{% if loop.first %}
SELECT
{% endif %}
    {% set v = ['t', c.field] %}
    {% for type in types %}
    COUNT(*) FILTER (WHERE {{ misfit(v, type, c.comma, none) }}),
    {% endfor %}
    {% if c.format %}
    COUNT(*) FILTER (WHERE {{ misfit(v, 'TIMESTAMP', c.comma, c.format) }}),
    {% else %}
    COUNT({{ v | ident }}),
    {% endif %}
    COUNT({{ v | ident }}),
    COALESCE(MIN(LENGTH(
        SPLIT_PART({{ v | ident }}, {{ (',' if c.comma else '.') | literal }}, 2))), 0),
    COALESCE(MAX(LENGTH(
        SPLIT_PART({{ v | ident }}, {{ (',' if c.comma else '.') | literal }}, 2))), 0),
    COUNT(*) FILTER (WHERE REGEXP_MATCHES({{ v | ident }}, '[.,][0-9]+0$')),
    COUNT(*) FILTER (WHERE {{ v | ident }} <> b.{{ c.field | ident }}),
    COUNT(*) FILTER (WHERE b.{{ c.field | ident }} IN ({{ tokens | literals }})),
    COUNT(*) FILTER (
        WHERE b.{{ c.field | ident }} NOT IN ({{ tokens | literals }})
            AND NOT {{ no_number(['b', c.field], c.comma) }}
    ),
    COUNT(*) FILTER (
        WHERE b.{{ c.field | ident }} NOT IN ({{ tokens | literals }})
            AND NOT ({{ misfit(['b', c.field], 'DATE', c.comma, c.format) }})
    ),
    COUNT(*) FILTER (
        WHERE b.{{ c.field | ident }} NOT IN ({{ tokens | literals }})
            AND NOT {{ no_number(['b', c.field], true) }}
    ),
    COUNT(*) FILTER (
        WHERE b.{{ c.field | ident }} NOT IN ({{ tokens | literals }})
            AND REGEXP_FULL_MATCH(b.{{ c.field | ident }},
                '[0-9]{1,2}[-./][0-9]{1,2}[-./][0-9]{4}|[0-9]{4}[./][0-9]{1,2}[./][0-9]{1,2}')
    ){% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ relation | ident }} AS t
CROSS JOIN LATERAL (
    SELECT
    {% for c in columns %}
        {{ unpadded(['t', c.field], blanks) }}
            AS {{ c.field | ident }}{% if not loop.last %},{% endif +%}
    {% endfor %}
) AS b
