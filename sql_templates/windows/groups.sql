{# What is released of each window: the value where it has one only, else the label of what it spans.
   grain: one row per window
   in: framed, labels_<index>, places, dim_<index>, attributes, forms {index: 'set', 'numbers', 'names' or 'node'}, array (whether sets are arrays)
   out: table groups(grp, n, part, for each attribute v<i>, leaves<i>, present<i>, lo<i> and hi<i> where it has bounds; first<i> and
        last<i>, codes of the ends, of intervals; t<i>, the label as text, of arrays) #}
CREATE TABLE groups AS
SELECT
    f.grp,
    f.n,
    f.part
{% for a in attributes %}
{% set i = a.index %}
    {% if array and forms[i] == 'set' %}
    , CASE WHEN s{{ i | integer }}.first IS NULL THEN [t{{ i | integer }}.label] ELSE s{{ i | integer }}.label END AS v{{ i | integer }}
    , CASE WHEN s{{ i | integer }}.first IS NULL THEN t{{ i | integer }}.label ELSE s{{ i | integer }}.text END AS t{{ i | integer }}
    {% else %}
    , CASE WHEN s{{ i | integer }}.first IS NULL THEN t{{ i | integer }}.label ELSE s{{ i | integer }}.label END AS v{{ i | integer }}
    {% endif %}
    , COALESCE(s{{ i | integer }}.leaves, t{{ i | integer }}.leaves) AS leaves{{ i | integer }}
    , COALESCE(s{{ i | integer }}.present, t{{ i | integer }}.present) AS present{{ i | integer }}
    {% if forms[i] in ('numbers', 'names') %}
    , COALESCE(s{{ i | integer }}.begin_code, t{{ i | integer }}.code) AS first{{ i | integer }}
    , COALESCE(s{{ i | integer }}.finish_code, t{{ i | integer }}.code) AS last{{ i | integer }}
    {% endif %}
    {% if a.bounds_type %}
    , CASE WHEN s{{ i | integer }}.first IS NULL THEN d{{ i | integer }}.lo{{ a.min_level | integer }} ELSE s{{ i | integer }}.lo END AS lo{{ i | integer }}
    , CASE WHEN s{{ i | integer }}.first IS NULL THEN d{{ i | integer }}.hi{{ a.min_level | integer }} ELSE s{{ i | integer }}.hi END AS hi{{ i | integer }}
    {% endif %}
{% endfor %}
FROM framed AS f
{% for a in attributes %}
{% set i = a.index %}
JOIN places AS t{{ i | integer }} ON t{{ i | integer }}.attribute = {{ i | integer }} AND t{{ i | integer }}.place = f.p{{ i | integer }}
    {% if a.bounds_type %}
JOIN dim_{{ i | integer }} AS d{{ i | integer }} ON d{{ i | integer }}.code = t{{ i | integer }}.code
    {% endif %}
LEFT JOIN labels_{{ i | integer }} AS s{{ i | integer }} ON s{{ i | integer }}.part = f.part AND s{{ i | integer }}.first = f.from{{ i | integer }} AND s{{ i | integer }}.last = f.upto{{ i | integer }}
{% endfor %}
