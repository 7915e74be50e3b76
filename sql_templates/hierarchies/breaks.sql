{# Levels of intervals between breaks, the outer two of which have one end each.
   grain: one row per distinct non-NULL source value; labels are NULL where the value is no finite
       number or date of the years 1 to 9999
   in: combinations, a (attribute), intervals of each level in order (label, next: where the next
       one begins, lo and hi: the bounds that are released, none where there is no end), kind
       ('number', 'float' or 'date'), type of the values
   out: a SELECT of (value, v0 …, lo0 …, hi0 …) #}
WITH found AS (
    SELECT DISTINCT t.q# AS value
    FROM combinations AS t
    WHERE t.q# IS NOT NULL
),
usable AS (
    SELECT
        f.value,
        {% if kind == 'float' %}
        CASE WHEN f.value BETWEEN -1e308 AND 1e308 THEN CAST(f.value AS DOUBLE) END AS x
        {% elif kind == 'date' %}
        CASE
            WHEN f.value >= CAST('0001-01-01' AS {{ type | sql_type }})
                AND f.value < CAST('9999-12-01' AS {{ type | sql_type }})
            THEN f.value
        END AS x
        {% else %}
        f.value AS x
        {% endif %}
    FROM found AS f
),
{# which interval of each level a value lies in, from 0 #}
placed AS (
    SELECT
        u.value, u.x
    {% for level in intervals %}
        , CASE
        {% for interval in level %}
            {% if interval.next is none %}
            WHEN u.x IS NOT NULL
            {% elif kind == 'date' %}
            WHEN u.x < CAST({{ interval.next | literal }} AS {{ type | sql_type }})
            {% elif kind == 'float' %}
            WHEN u.x < CAST({{ interval.next | number }} AS DOUBLE)
            {% else %}
            WHEN u.x < {{ interval.next | number }}
            {% endif %}
            THEN {{ loop.index0 | integer }}
        {% endfor %}
        END AS p{{ loop.index | integer }}
    {% endfor %}
    FROM usable AS u
)
SELECT
    b.value
    , CASE WHEN b.x IS NOT NULL THEN {{ a | text('b', 'value') }} END AS v0
{% for level in intervals %}
    , CASE b.p{{ loop.index | integer }}
    {% for interval in level %}
        WHEN {{ loop.index0 | integer }} THEN {{ interval.label | literal }}
    {% endfor %}
    END AS v{{ loop.index | integer }}
{% endfor %}
    , CASE WHEN b.x IS NOT NULL THEN '*' END AS v{{ a.height | integer }}
{% if a.bounds_type %}
    , CASE WHEN b.x IS NOT NULL THEN CAST(b.value AS {{ a.bounds_type | sql_type }}) END AS lo0
    , CASE WHEN b.x IS NOT NULL THEN CAST(b.value AS {{ a.bounds_type | sql_type }}) END AS hi0
{% for level in intervals %}
    {% set number = loop.index %}
    {% for end in ('lo', 'hi') %}
    , CAST(CASE b.p{{ number | integer }}
        {% for interval in level if interval[end] is not none %}
        WHEN {{ (loop.index0 + (1 if end == 'lo' else 0)) | integer }}
            THEN {{ interval[end] | literal }}
        {% endfor %}
    END AS {{ a.bounds_type | sql_type }}) AS {{ (end ~ number) | ident }}
    {% endfor %}
{% endfor %}
    , CAST(NULL AS {{ a.bounds_type | sql_type }}) AS lo{{ a.height | integer }}
    , CAST(NULL AS {{ a.bounds_type | sql_type }}) AS hi{{ a.height | integer }}
{% endif %}
FROM placed AS b
