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
    {% if array and forms[a.index] == 'set' %}
    , CASE WHEN s#.first IS NULL THEN [t#.label] ELSE s#.label END AS v#
    , CASE WHEN s#.first IS NULL THEN t#.label ELSE s#.text END AS t#
    {% else %}
    , CASE WHEN s#.first IS NULL THEN t#.label ELSE s#.label END AS v#
    {% endif %}
    , COALESCE(s#.leaves, t#.leaves) AS leaves#
    , COALESCE(s#.present, t#.present) AS present#
    {% if forms[a.index] in ('numbers', 'names') %}
    , COALESCE(s#.begin_code, t#.code) AS first#
    , COALESCE(s#.finish_code, t#.code) AS last#
    {% endif %}
    {% if a.bounds_type %}
    , CASE WHEN s#.first IS NULL THEN d#.lo{{ a.min_level | integer }} ELSE s#.lo END AS lo#
    , CASE WHEN s#.first IS NULL THEN d#.hi{{ a.min_level | integer }} ELSE s#.hi END AS hi#
    {% endif %}
{% endfor %}
FROM framed AS f
{% for a in attributes %}
JOIN places AS t# ON t#.attribute = # AND t#.place = f.p#
    {% if a.bounds_type %}
JOIN dim_# AS d# ON d#.code = t#.code
    {% endif %}
LEFT JOIN labels_# AS s# ON s#.part = f.part AND s#.first = f.from# AND s#.last = f.upto#
{% endfor %}
