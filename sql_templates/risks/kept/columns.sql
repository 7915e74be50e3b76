{# What a table's columns are like, in counts and lengths and, for dates, their range.
   grain: one row per column, in order
   in: relation, columns
   out: (position, rows, NULLs, distinct values, least and greatest text length, number of all-digit
       values, range of dates in days, what is infinite left out)
       #}
{% for column in columns %}
SELECT
    {{ loop.index | integer }} AS position,
    COUNT(*) AS total,
    COUNT(*) - COUNT(s.{{ column.name | ident }}) AS nulls,
    COUNT(DISTINCT CAST(s.{{ column.name | ident }} AS VARCHAR)) AS different,
    COALESCE(MIN(LENGTH(CAST(s.{{ column.name | ident }} AS VARCHAR))), 0) AS shortest,
    COALESCE(MAX(LENGTH(CAST(s.{{ column.name | ident }} AS VARCHAR))), 0) AS longest,
    COUNT(*) FILTER (WHERE REGEXP_MATCHES(CAST(s.{{ column.name | ident }} AS VARCHAR),
        '^[0-9]+$')) AS digits,
    {% if column.kind in ('date', 'timestamp') %}
    CAST(DATE_DIFF('day',
        MIN(CASE WHEN CAST(s.{{ column.name | ident }} AS DATE) BETWEEN CAST('0001-01-01' AS DATE)
            AND CAST('9999-12-31' AS DATE) THEN CAST(s.{{ column.name | ident }} AS DATE) END),
        MAX(CASE WHEN CAST(s.{{ column.name | ident }} AS DATE) BETWEEN CAST('0001-01-01' AS DATE)
            AND CAST('9999-12-31' AS DATE) THEN CAST(s.{{ column.name | ident }} AS DATE) END)
    ) AS DOUBLE)
    {% else %}
    CAST(NULL AS DOUBLE)
    {% endif %}
    AS spread
FROM {{ relation | ident }} AS s
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
ORDER BY position
