{# The values that labels of a column may stand for, and how frequent these are in the release.
   grain: one row per label and value
   in: attacked_asked(label: those that are asked for), attacked_release, covers_<facet>, facet
   out: (label, code, rows) #}
WITH {% include 'attacks/frequencies.sql' %}
SELECT m.label, m.code, f.n
FROM meant AS m
JOIN frequent AS f ON f.code = m.code
JOIN attacked_asked AS a ON a.label = m.label
ORDER BY m.label, m.code
