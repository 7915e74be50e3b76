{# The rows of the source and of the release beside each other, kept values numbered alike on both
   sides.
   grain: one row per side and distinct combination of quasi-identifying and kept values
   in: source, attributes, dim_<index>, classes_<index>, judged_rows(v<i>, y<j>, n),
       masked_rows(y<j>, n) where masks, originals and released [(number, column, type to cast to or
       none)] of the kept columns on both sides, texts (numbers of those that are text), seen (of
       those that masked rows show)
   out: table relocated_rows(side: 0 source, 1 release, 2 masked, v<i>: class of the source's value
       or number of the released one, kept: number of the kept values, seen: of those that masked
       rows show, n) #}
{% from 'verification/attack/macros.sql' import kept_value %}
CREATE TABLE relocated_rows AS
WITH sides AS (
    SELECT
        0 AS side,
        {{ attributes | each('COALESCE(k#.class, 0) AS v#,') }}
    {% for j, column, cast in originals %}
        {{ kept_value(column, cast) }} AS y{{ j | integer }},
    {% endfor %}
        CAST(COUNT(*) AS BIGINT) AS n
    FROM {{ source | ident }} AS r
    {% for a in attributes %}
    LEFT JOIN dim_# AS d# ON d#.value = {{ a | value('r') }}
    LEFT JOIN classes_# AS k# ON k#.code = COALESCE(d#.code, 0)
    {% endfor %}
    GROUP BY
        {{ attributes | listed('COALESCE(k#.class, 0)') }}{% if originals %},{% endif +%}
    {% for j, column, cast in originals %}
        {{ kept_value(column, cast) }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    UNION ALL
    SELECT
        1 AS side,
        {{ attributes | each('r.v#,') }}
    {% for j, column, cast in released %}
        {{ kept_value(column, cast) }} AS y{{ j | integer }},
    {% endfor %}
        r.n
    FROM judged_rows AS r
    {% if masks %}
    UNION ALL
    SELECT
        2 AS side,
        {{ attributes | each('0 AS v#,') }}
    {% for j, column, cast in released %}
        {{ kept_value(column, cast) }} AS y{{ j | integer }},
    {% endfor %}
        r.n
    FROM masked_rows AS r
    {% endif %}
)
SELECT
    s.side,
    {{ attributes | each('s.v#,') }}
    {% if originals %}
    DENSE_RANK() OVER (
        ORDER BY
        {% for a, column, cast in originals %}
            s.y#{% if a in texts %} COLLATE "C"{% endif %} NULLS FIRST
            {% if not loop.last %},{% endif +%}
        {% endfor %}
    ) AS kept,
    {% else %}
    1 AS kept,
    {% endif %}
    {% if seen %}
    DENSE_RANK() OVER (
        ORDER BY
        {% for a in seen %}
            s.y#{% if a in texts %} COLLATE "C"{% endif %} NULLS FIRST
            {% if not loop.last %},{% endif +%}
        {% endfor %}
    ) AS seen,
    {% else %}
    1 AS seen,
    {% endif %}
    s.n
FROM sides AS s
