{# The classes of the source generalized, to be judged: labels as keys that are never NULL, values
   coded anew.
   grain: one row per class and coded values; rows of the population apart
   in: verified_rows (see verification/counted), reference_<index> of it, population (relation or
       none), attributes, coded, labels
       (the released columns that are labels), dim_<index>, levels
   out: a SELECT of (t<position> …, promise.extras, promise.weights) #}
SELECT
{% for r in labels %}
    COALESCE('=' || c.r{{ r.position | integer }}, '') AS t{{ r.position | integer }},
{% endfor %}
{% for a in coded %}
    COALESCE(w{{ a.index | integer }}.code, 0) AS x{{ a.index | integer }},
{% endfor %}
    CAST(SUM(c.n) AS BIGINT) AS n{% if population %},
    CAST(0 AS BIGINT) AS p{% endif +%}
FROM verified_rows AS c
{% for a in coded %}
LEFT JOIN reference_{{ a.index | integer }} AS w{{ a.index | integer }} ON w{{ a.index | integer
    }}.value = c.q{{ a.index | integer }}
{% endfor %}
GROUP BY
{% for r in labels %}
    COALESCE('=' || c.r{{ r.position | integer }}, ''){% if coded or not loop.last %},{% endif +%}
{% endfor %}
{% for a in coded %}
    COALESCE(w{{ a.index | integer }}.code, 0){% if not loop.last %},{% endif +%}
{% endfor %}
{% if population %}
UNION ALL
SELECT
{% for r in labels %}
    COALESCE('=' || {% with a = r.attribute, side = 'q', level = levels[r.attribute.index]
        %}{% include 'verification/label.sql' %}{% endwith %}, ''),
{% endfor %}
{% for a in coded %}
    NULL,
{% endfor %}
    0,
    1
FROM {{ population | ident }} AS q
{% for a in attributes %}
LEFT JOIN dim_{{ a.index | integer }} AS h{{ a.index | integer }}
    ON {% with side = 'q' %}{% include 'star/value.sql' %}{% endwith %} = h{{ a.index | integer
        }}.value
{% endfor %}
{% endif %}
