{# Levels of codes that are generalized by their first characters.
   grain: one row per distinct non-NULL source value; labels are NULL where it is no such code
   in: combinations, a (attribute), keys (first characters in capitals, and the labels of each
       level), length (how many characters a key has), least (how many a value has), zeros (whether
       numbers are filled up to as many digits)
   out: a SELECT of (value, v0 …) #}
WITH found AS (
    SELECT DISTINCT t.q# AS value
    FROM combinations AS t
    WHERE t.q# IS NOT NULL
),
texts AS (
    SELECT
        f.value,
        CAST(f.value AS VARCHAR) AS word,
        {% if zeros %}
        CASE WHEN f.value BETWEEN 0 AND 99999
            THEN LPAD(CAST(f.value AS VARCHAR), {{ least | integer }}, '0') END AS code
        {% else %}
        CASE WHEN LENGTH(CAST(f.value AS VARCHAR)) >= {{ least | integer }}
            THEN CAST(f.value AS VARCHAR) END AS code
        {% endif %}
    FROM found AS f
),
codes AS (
    SELECT t.value, t.word, UPPER(LEFT(t.code, {{ length | integer }})) AS code
    FROM texts AS t
)
SELECT
    c.value
    , CASE WHEN k.code IS NOT NULL THEN c.word END AS v0
    {{ range(1, a.height) | each(', k.v#') }}
    , CASE WHEN k.code IS NOT NULL THEN '*' END AS v{{ a.height | integer }}
FROM codes AS c
LEFT JOIN (VALUES {{ keys | rows }}) AS k (code{{ range(1, a.height) | each(', v#') }})
    ON k.code = c.code
