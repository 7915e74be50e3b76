{# Levels of a hierarchy that is given leaf by leaf (file, order, taxonomy).
   grain: one row per leaf of the hierarchy and per source value that no leaf names (its labels are
       NULL)
   in: combinations, leaves_<index>(v0 … v<height>, place), a (attribute), spellings (none, or the
       leaf of each spelling, as hierarchies/macros has it), other (the leaf of all other values then)
   out: a SELECT of (value, place, v0 …, lo0 …, hi0 …); bounds come from the leaves, never from the
       data #}
{% if spellings %}{% from 'hierarchies/macros.sql' import spelling %}{% endif -%}
WITH found AS (
    SELECT DISTINCT t.q# AS value
    FROM combinations AS t
    WHERE t.q# IS NOT NULL
)
{% if spellings %}
, spelled AS (
    SELECT f.value, COALESCE(k.leaf, {{ other | literal }}) AS leaf
    FROM found AS f
    LEFT JOIN (VALUES {{ spellings | rows }}) AS k (word, leaf)
        ON k.word = {{ spelling(a, 'f', 'value') }}
)
{% endif %}
SELECT
    f.value
    , l.place
    {{ range(a.height + 1) | each(', l.v#') }}
{% if a.bounds_type %}
{% for level in range(a.height + 1) %}
    {% if level == a.height and a.top == '*' %}
    , CAST(NULL AS {{ a.bounds_type | sql_type }}) AS lo{{ level | integer }}
    , CAST(NULL AS {{ a.bounds_type | sql_type }}) AS hi{{ level | integer }}
    {% else %}
    , l.lo{{ level | integer }}
    , l.hi{{ level | integer }}
    {% endif %}
{% endfor %}
{% endif %}
FROM (
    SELECT
        b.v0
        , b.place
        {{ range(1, a.height + 1) | each(', b.v#') }}
    {% if a.bounds_type %}
        , CAST(b.v0 AS {{ a.bounds_type | sql_type }}) AS lo0
        , CAST(b.v0 AS {{ a.bounds_type | sql_type }}) AS hi0
        {{ range(1, a.height + 1) | each(', s#.lo AS lo#, s#.hi AS hi#') }}
    {% endif %}
    FROM leaves_# AS b
    {% if a.bounds_type %}
    {% for level in range(1, a.height + 1) %}
    JOIN (
        SELECT
            k.v{{ level | integer }} AS label
            , MIN(CAST(k.v0 AS {{ a.bounds_type | sql_type }})) AS lo
            , MAX(CAST(k.v0 AS {{ a.bounds_type | sql_type }})) AS hi
        FROM leaves_# AS k
        GROUP BY k.v{{ level | integer }}
    ) AS s{{ level | integer }} ON s{{ level | integer }}.label = b.v{{ level | integer }}
    {% endfor %}
    {% endif %}
) AS l
{% if spellings %}
FULL JOIN spelled AS f ON f.leaf = l.v0
{% else %}
FULL JOIN found AS f ON {{ a | text('f', 'value') }} = l.v0
{% endif %}
