{# How the values of a column are spelled that has a built-in hierarchy.
   grain: one row per kind of spelling; NULL is what the hierarchy does not know
   in: table (relation), a (column), keys (spellings in lower case or first characters of codes, and
       the kind of each), coded (whether they are of codes), length, least, zeros (see
       hierarchies/keyed), shown (whether up to five unknown values are asked for instead)
   out: (kind, values, rows); shown: (text) #}
{% from 'hierarchies/macros.sql' import key, spelling %}
WITH counted AS (
    SELECT {{ a | value('t') }} AS value, COUNT(*) AS n
    FROM {{ table | ident }} AS t
    WHERE t.{{ a.name | ident }} IS NOT NULL
    GROUP BY {{ a | value('t') }}
),
recognized AS (
    SELECT c.value, c.n, k.code, k.kind
    FROM counted AS c
    LEFT JOIN (VALUES {{ keys | rows }}) AS k (code, kind)
        ON k.code = {% if coded %}{{ key(['c', 'value'], length, least, zeros) }}
            {%- else %}{{ spelling(a, 'c', 'value') }}{% endif +%}
)
{% if shown %}
SELECT CAST(r.value AS VARCHAR) AS example
FROM recognized AS r
WHERE r.code IS NULL
ORDER BY r.n DESC, r.value
LIMIT 5
{% else %}
SELECT r.kind, CAST(COUNT(*) AS BIGINT) AS found, CAST(SUM(r.n) AS BIGINT) AS n
FROM recognized AS r
GROUP BY r.kind
{% endif %}
