{# Levels that replace one character after another by *.
   grain: one row per distinct non-NULL source value; labels are NULL where it is longer than the
       policy's length
   in: combinations, a (attribute), length, start ('right' or 'left')
   out: a SELECT of (value, v0 …) #}
WITH found AS (
    SELECT DISTINCT t.q# AS value
    FROM combinations AS t
    WHERE t.q# IS NOT NULL
),
texts AS (
    SELECT
        f.value,
        CASE WHEN LENGTH(CAST(f.value AS VARCHAR)) <= {{ length | integer }}
            THEN CAST(f.value AS VARCHAR) END AS word
    FROM found AS f
)
SELECT
    w.value
    , w.word AS v0
{% for level in range(1, length) %}
    {% if start == 'right' %}
    , LEFT(w.word, GREATEST(LENGTH(w.word) - {{ level | integer }}, 0))
        || REPEAT('*', LEAST(LENGTH(w.word), {{ level | integer }})) AS v{{ level | integer }}
    {% else %}
    , REPEAT('*', LEAST(LENGTH(w.word), {{ level | integer }}))
        || RIGHT(w.word, GREATEST(LENGTH(w.word) - {{ level | integer }}, 0))
        AS v{{ level | integer }}
    {% endif %}
{% endfor %}
    , CASE WHEN w.word IS NOT NULL THEN '*' END AS v{{ length | integer }}
FROM texts AS w
