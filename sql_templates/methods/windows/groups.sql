{# What is released of each window: the value where it has one only, else the label of what it
   spans.
   grain: one row per window
   in: framed, labels_<index>, places, dim_<index>, attributes, forms {index: 'set', 'numbers',
       'names' or 'node'}, array (whether sets are arrays)
   out: table groups(grp, n, part, for each attribute v<i>, leaves<i>, present<i>, lo<i> and hi<i>
       where it has bounds; first<i> and last<i>, codes of the ends, of intervals; t<i>, the label
       as text, of arrays) #}
CREATE TABLE groups AS
SELECT
    f.grp, f.n, f.part
{% for a in attributes %}
{% set i = a.index %}
    {% if array and forms[i] == 'set' %}
    {{ i | sql(', CASE WHEN s#.first IS NULL THEN [t#.label] ELSE s#.label END AS v#') }}
    {{ i | sql(', CASE WHEN s#.first IS NULL THEN t#.label ELSE s#.text END AS t#') }}
    {% else %}
    {{ i | sql(', CASE WHEN s#.first IS NULL THEN t#.label ELSE s#.label END AS v#') }}
    {% endif %}
    {{ i | sql(', COALESCE(s#.leaves, t#.leaves) AS leaves#') }}
    {{ i | sql(', COALESCE(s#.present, t#.present) AS present#') }}
    {% if forms[i] in ('numbers', 'names') %}
    {{ i | sql(', COALESCE(s#.begin_code, t#.code) AS first#') }}
    {{ i | sql(', COALESCE(s#.finish_code, t#.code) AS last#') }}
    {% endif %}
    {% if a.bounds_type %}
    , CASE WHEN s{{ i | integer }}.first IS NULL
        THEN d{{ i | integer }}.lo{{ a.min_level | integer }}
        ELSE s{{ i | integer }}.lo END AS lo{{ i | integer }}
    , CASE WHEN s{{ i | integer }}.first IS NULL
        THEN d{{ i | integer }}.hi{{ a.min_level | integer }}
        ELSE s{{ i | integer }}.hi END AS hi{{ i | integer }}
    {% endif %}
{% endfor %}
FROM framed AS f
{% for a in attributes %}
{% set i = a.index %}
{{ i | sql('JOIN places AS t# ON t#.attribute = # AND t#.place = f.p#') }}
    {% if a.bounds_type %}
{{ i | sql('JOIN dim_# AS d# ON d#.code = t#.code') }}
    {% endif %}
{{ i | sql(
    'LEFT JOIN labels_# AS s# ON s#.part = f.part AND s#.first = f.from# AND s#.last = f.upto#'
) }}
{% endfor %}
