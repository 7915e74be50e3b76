{# Levels of half-open intervals. Exact decimal arithmetic, so that 0.3 lies in [0.3,0.4).
   grain: one row per distinct non-NULL source value; labels are NULL where the value is not a
       number of a usable size
   in: combinations, a (attribute), widths and origin (decimals), scale of the arithmetic and its
       unit, through_text and rounded (whether digits may be lost on the way), limit of what fits,
       label_scale, integral
   out: a SELECT of (value, v0 …, lo0 …, hi0 …) #}
WITH found AS (
    SELECT DISTINCT t.q# AS value
    FROM combinations AS t
    WHERE t.q# IS NOT NULL
),
exact AS (
    SELECT
        f.value,
        CASE
            WHEN f.value BETWEEN -{{ limit | number }} AND {{ limit | number }}
            {# through text, for a double is cast to a decimal inexactly: 8.2 would become
               8.199999999999999 #}
            {% if through_text %}
            THEN CAST(CAST(f.value AS VARCHAR) AS DECIMAL(34, {{ scale | integer }}))
            {% else %}
            THEN CAST(f.value AS DECIMAL(34, {{ scale | integer }}))
            {% endif %}
        END AS x
    FROM found AS f
),
floored AS (
    SELECT
        t.value,
        {% if rounded %}
        CASE
            {% if through_text %}
            WHEN CAST(CAST(t.x AS VARCHAR) AS DOUBLE) > t.value THEN t.x - {{ unit | number }}
            {% else %}
            WHEN t.x > t.value THEN t.x - {{ unit | number }}
            {% endif %}
            ELSE t.x
        END AS x
        {% else %}
        t.x
        {% endif %}
    FROM exact AS t
),
lower_ends AS (
    SELECT
        e.value, e.x
    {% for width in widths %}
        , e.x - (((e.x - {{ origin | number }}) % {{ width | number }})
            + {{ width | number }}) % {{ width | number }} AS x{{ loop.index | integer }}
    {% endfor %}
    FROM floored AS e
)
SELECT
    b.value
    , CASE WHEN b.x IS NOT NULL THEN {{ a | text('b', 'value') }} END AS v0
{% for width in widths %}
    , '[' || CAST(CAST(b.x{{ loop.index | integer }} AS DECIMAL(34,
        {{ label_scale | integer }})) AS VARCHAR)
      || ',' || CAST(CAST(b.x{{ loop.index | integer }}
          + {{ width | number }} AS DECIMAL(34, {{ label_scale | integer }})) AS VARCHAR)
      || ')' AS v{{ loop.index | integer }}
{% endfor %}
    , CASE WHEN b.x IS NOT NULL THEN '*' END AS v{{ a.height | integer }}
{% if a.bounds_type %}
    , CASE WHEN b.x IS NOT NULL THEN CAST(b.value AS {{ a.bounds_type | sql_type }}) END AS lo0
    , CASE WHEN b.x IS NOT NULL THEN CAST(b.value AS {{ a.bounds_type | sql_type }}) END AS hi0
{% for width in widths %}
    {% if a.bounds_type == 'BIGINT' %}
    {{ loop | sql(', CAST(GREATEST(b.x#, -9223372036854775808) AS BIGINT) AS lo#') }}
    , CAST(LEAST(b.x{{ loop.index | integer }} + {{ width | number }} - 1,
        9223372036854775807) AS BIGINT) AS hi{{ loop.index | integer }}
    {% else %}
    , CAST(b.x{{ loop.index | integer }} AS {{ a.bounds_type | sql_type }})
        AS lo{{ loop.index | integer }}
    , CAST(b.x{{ loop.index | integer }}
        + {{ width | number }}{% if integral %}
            - 1{% endif %} AS {{ a.bounds_type | sql_type }}) AS hi{{ loop.index | integer }}
    {% endif %}
{% endfor %}
    , CAST(NULL AS {{ a.bounds_type | sql_type }}) AS lo{{ a.height | integer }}
    , CAST(NULL AS {{ a.bounds_type | sql_type }}) AS hi{{ a.height | integer }}
{% endif %}
FROM lower_ends AS b
