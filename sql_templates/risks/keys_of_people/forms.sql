{# How many rows of columns have values in the form of an identifier, as texts.
   grain: one row per column, in order
   in: table, columns (each as star/value takes it, with the beginnings of the hashes of values that
       are looked at; none: all are; and the expression of a code), identifier and date (expressions), prefixed
       (the expression of a number with letters before it)
   out: (position, rows of the values that were looked at, rows that match each expression, least
       and greatest length of the values with letters before a number) #}
{% for column, beginnings, code in columns %}
SELECT
    {{ loop.index | integer }} AS position,
    CAST(COALESCE(SUM(g.n), 0) AS BIGINT) AS filled,
    CAST(COALESCE(SUM(CASE WHEN REGEXP_MATCHES(g.v, {{ identifier | literal }}) THEN g.n END), 0)
        AS BIGINT) AS identifiers,
    CAST(COALESCE(SUM(CASE WHEN REGEXP_MATCHES(g.v, {{ prefixed | literal }}) THEN g.n END), 0)
        AS BIGINT) AS prefixed,
    CAST(COALESCE(SUM(CASE WHEN REGEXP_MATCHES(g.v, {{ code | literal }}) THEN g.n END), 0)
        AS BIGINT) AS codes,
    CAST(COALESCE(SUM(CASE WHEN REGEXP_MATCHES(g.v, {{ date | literal }}) THEN g.n END), 0)
        AS BIGINT) AS dates,
    COALESCE(MIN(CASE WHEN REGEXP_MATCHES(g.v, {{ prefixed | literal }}) THEN LENGTH(g.v) END), 0)
        AS shortest,
    COALESCE(MAX(CASE WHEN REGEXP_MATCHES(g.v, {{ prefixed | literal }}) THEN LENGTH(g.v) END), 0)
        AS longest
FROM (
    SELECT CAST(t.v AS VARCHAR) AS v, t.n
    FROM (
        SELECT {{ column | value('s') }} AS v, COUNT(*) AS n
        FROM {{ table | ident }} AS s
        WHERE s.{{ column.name | ident }} IS NOT NULL
        GROUP BY {{ column | value('s') }}
    ) AS t
    {% if beginnings %}
    WHERE SUBSTR(MD5(CAST(t.v AS VARCHAR)), 1, 2) IN ({{ beginnings | literals }})
    {% endif %}
) AS g
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
ORDER BY position
