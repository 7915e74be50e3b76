{# In how many ways the values of columns of text are spelled. A value of blanks alone is left aside.
   grain: one row per column that has other values, in order
   in: relation, columns, weight (a column that counts rows, or none), blanks, tokens (texts that
       often mean that no value is known)
   out: (position; of the values that are no token: how many there are, how many without blanks
       around them, without case, and without both; the rows that have them, and those in upper
       case; values of plus signs alone; for each token, how many rows have it) #}
SELECT
    b.position,
    COUNT(*) FILTER (WHERE b.bare NOT IN ({{ tokens | literals }})) AS spellings,
    COUNT(DISTINCT b.bare) FILTER (WHERE b.bare NOT IN ({{ tokens | literals }})) AS trimmed,
    COUNT(DISTINCT LOWER(b.v)) FILTER (WHERE b.bare NOT IN ({{ tokens | literals }})) AS lowered,
    COUNT(DISTINCT LOWER(b.bare)) FILTER (WHERE b.bare NOT IN ({{ tokens | literals }}))
        AS spelled,
    COALESCE(CAST(SUM(b.often) FILTER (WHERE b.bare NOT IN ({{ tokens | literals }}))
        AS BIGINT), 0) AS total,
    COALESCE(CAST(SUM(b.often) FILTER (
        WHERE b.bare = UPPER(b.bare) AND b.bare NOT IN ({{ tokens | literals }})
    ) AS BIGINT), 0) AS uppers,
    COUNT(*) FILTER (WHERE b.bare IN ('+', '++', '+++')) AS signs
    {% for token in tokens %}
    , COALESCE(CAST(SUM(b.often) FILTER (WHERE b.bare = {{ token | literal }}) AS BIGINT), 0)
        AS {{ ('n' ~ loop.index) | ident }}
    {% endfor %}
FROM (
    SELECT g.position, g.v, g.often, TRIM(g.v, {{ blanks | literal }}) AS bare
    FROM (
        {% for column in columns %}
        SELECT
            {{ loop.index | integer }} AS position,
            CAST(s.{{ column.name | ident }} AS VARCHAR) AS v,
            {% if weight %}SUM(s.{{ weight | ident }}){% else %}COUNT(*){% endif %} AS often
        FROM {{ relation | ident }} AS s
        WHERE s.{{ column.name | ident }} IS NOT NULL
            {% if weight %}AND s.{{ weight | ident }} > 0{% endif +%}
        GROUP BY CAST(s.{{ column.name | ident }} AS VARCHAR)
        {% if not loop.last %}UNION ALL{% endif +%}
        {% endfor %}
    ) AS g
) AS b
WHERE b.bare <> ''
GROUP BY b.position
ORDER BY position
