{# The released rows put together, their values numbered. Masked rows are suppressed ones.
   grain: one row per distinct combination of released quasi-identifying values, their bounds, and
       kept values
   in: table (of the release), labels [(number, column, its bounds columns, whether it is text)],
       kept [(number, column, type to cast to or none)], masks (whether rows with * everywhere are
       masked ones)
   out: table judged_rows(v<i>: the number of the value with its bounds, l<i> label, lo<i>, hi<i>,
       y<j>: the kept value, masked: 0 or 1, n) #}
{% from 'verification/linking/macros.sql' import kept_value %}
CREATE TABLE judged_rows AS
SELECT
{% for i, label, bounds, text in labels %}
    DENSE_RANK() OVER (
        ORDER BY
            g.l{{ i | integer }}{% if text %} COLLATE "C"{% endif %} NULLS FIRST
            {% for bound in bounds %}
            , g.{{ ('b' ~ loop.index ~ '_' ~ i) | ident }} NULLS FIRST
            {% endfor %}
    ) AS v{{ i | integer }},
    g.l{{ i | integer }},
    {% for bound in bounds %}
    g.{{ ('b' ~ loop.index ~ '_' ~ i) | ident }},
    {% endfor %}
{% endfor %}
{% for j, column, cast in kept %}
    g.y{{ j | integer }},
{% endfor %}
    {% if masks %}
    CASE WHEN
    {% for i, label, bounds, text in labels %}
        COALESCE(g.l{{ i | integer }}, '') = '*'{% if not loop.last %} AND{% endif +%}
    {% endfor %}
        THEN 1 ELSE 0 END AS masked,
    {% else %}
    0 AS masked,
    {% endif %}
    g.n
FROM (
    SELECT
    {% for i, label, bounds, text in labels %}
        r.{{ label | ident }} AS l{{ i | integer }},
        {% for bound in bounds %}
        r.{{ bound | ident }} AS {{ ('b' ~ loop.index ~ '_' ~ i) | ident }},
        {% endfor %}
    {% endfor %}
    {% for j, column, cast in kept %}
        {{ kept_value(column, cast) }} AS y{{ j | integer }},
    {% endfor %}
        CAST(COUNT(*) AS BIGINT) AS n
    FROM {{ table | ident }} AS r
    GROUP BY
    {% for i, label, bounds, text in labels %}
        r.{{ label | ident }}
        {% if text %}
        , r.{{ label | ident }} COLLATE "C"
        {% endif %}
        {{ bounds | each(', r.@') }}
        {% if kept or not loop.last %},{% endif +%}
    {% endfor %}
    {% for j, column, cast in kept %}
        {{ kept_value(column, cast) }}{% if not loop.last %},{% endif +%}
    {% endfor %}
) AS g
