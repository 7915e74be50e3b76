{# Levels of calendar units.
   grain: one row per distinct non-NULL source value; labels are NULL outside the years 1 to 9999
   in: combinations, a (attribute), units, type of the values, step (what a bound lies before the
       next unit: '1 day' or '1 microsecond')
   out: a SELECT of (value, v0 …, lo0 …, hi0 …) #}
WITH found AS (
    SELECT DISTINCT t.q# AS value
    FROM combinations AS t
    WHERE t.q# IS NOT NULL
),
usable AS (
    SELECT
        f.value,
        CASE
            WHEN f.value >= CAST('0001-01-01' AS {{ type | sql_type }})
                AND f.value < CAST('9999-12-01' AS {{ type | sql_type }})
            THEN f.value
        END AS day
    FROM found AS f
),
parts AS (
    SELECT
        u.value, u.day,
        LPAD(CAST(EXTRACT(YEAR FROM u.day) AS VARCHAR), 4, '0') AS year,
        LPAD(CAST(EXTRACT(MONTH FROM u.day) AS VARCHAR), 2, '0') AS month,
        CAST(EXTRACT(QUARTER FROM u.day) AS VARCHAR) AS quarter,
        LPAD(CAST(EXTRACT(WEEK FROM u.day) AS VARCHAR), 2, '0') AS week,
        LPAD(CAST(EXTRACT(YEAR FROM DATE_TRUNC('week', u.day) + INTERVAL '3 days') AS VARCHAR), 4,
            '0') AS week_year,
        SUBSTR(LPAD(CAST(EXTRACT(YEAR FROM u.day) AS VARCHAR), 4, '0'), 1, 3) AS decade
    FROM usable AS u
)
SELECT
    p.value
    , CASE WHEN p.day IS NOT NULL THEN CAST(p.value AS VARCHAR) END AS v0
{% for unit in units %}
    {% if unit == 'day' %}
    , CAST(CAST(p.day AS DATE) AS VARCHAR) AS v{{ loop.index | integer }}
    {% elif unit == 'week' %}
    , p.week_year || '-W' || p.week AS v{{ loop.index | integer }}
    {% elif unit == 'month' %}
    , p.year || '-' || p.month AS v{{ loop.index | integer }}
    {% elif unit == 'quarter' %}
    , p.year || '-Q' || p.quarter AS v{{ loop.index | integer }}
    {% elif unit == 'year' %}
    , p.year AS v{{ loop.index | integer }}
    {% else %}
    , p.decade || '0s' AS v{{ loop.index | integer }}
    {% endif %}
{% endfor %}
    , CASE WHEN p.day IS NOT NULL THEN '*' END AS v{{ a.height | integer }}
{% if a.bounds_type %}
    , CAST(p.day AS {{ a.bounds_type | sql_type }}) AS lo0
    , CAST(p.day AS {{ a.bounds_type | sql_type }}) AS hi0
{% for unit in units %}
    {% if unit == 'decade' %}
    , CAST(p.decade || '0-01-01' AS {{ a.bounds_type | sql_type }}) AS lo{{ loop.index | integer }}
    , CAST(CAST(p.decade || '0-01-01' AS DATE) + INTERVAL '10 years'
        - INTERVAL {{ step | literal }}
            AS {{ a.bounds_type | sql_type }}) AS hi{{ loop.index | integer }}
    {% else %}
    , CAST(DATE_TRUNC({{ unit | literal }}, p.day) AS {{ a.bounds_type | sql_type }})
        AS lo{{ loop.index | integer }}
    , CAST(DATE_TRUNC({{ unit | literal }}, p.day)
        + INTERVAL {{ ('3 months' if unit == 'quarter' else '1 ' ~ unit) | literal }}
        - INTERVAL {{ step | literal }} AS {{ a.bounds_type | sql_type }})
        AS hi{{ loop.index | integer }}
    {% endif %}
{% endfor %}
    , CAST(NULL AS {{ a.bounds_type | sql_type }}) AS lo{{ a.height | integer }}
    , CAST(NULL AS {{ a.bounds_type | sql_type }}) AS hi{{ a.height | integer }}
{% endif %}
FROM parts AS p
