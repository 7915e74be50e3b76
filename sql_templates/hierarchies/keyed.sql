{# Levels of codes that are generalized by their first characters.
   grain: one row per distinct non-NULL source value; what is no such code has the label `other` up
       to the top
   in: combinations, a (attribute), keys (first characters in capitals, and the labels of each
       level), length (how many characters a key has), least (how many a value has), zeros (whether
       numbers are filled up to as many digits), other
   out: a SELECT of (value, v0 …) #}
{% from 'hierarchies/macros.sql' import key %}
WITH found AS (
    SELECT DISTINCT t.q# AS value
    FROM combinations AS t
    WHERE t.q# IS NOT NULL
),
codes AS (
    SELECT f.value, CAST(f.value AS VARCHAR) AS word, {{ key(['f', 'value'], length, least, zeros) }} AS code
    FROM found AS f
)
SELECT
    c.value
    , CASE WHEN k.code IS NOT NULL THEN c.word ELSE {{ other | literal }} END AS v0
{% for level in range(1, a.height) %}
    , COALESCE(k.v{{ level | integer }}, {{ other | literal }}) AS v{{ level | integer }}
{% endfor %}
    , '*' AS v{{ a.height | integer }}
FROM codes AS c
LEFT JOIN (VALUES {{ keys | rows }}) AS k (code{{ range(1, a.height) | each(', v#') }})
    ON k.code = c.code
