{# The cells that a policy publishes by name.
   grain: one row per cell
   in: cells, groups, table_vectors (t: the table, v, l<index>: the level), attributes (of the table),
       labels {dimension: label, or none}, levels {dimension: the level of its label}, number (of the
       table); a dimension without a label is at its total
   out: cell #}
SELECT t.cell
FROM cells AS t
JOIN table_vectors AS w ON w.v = t.v AND w.t = {{ number | integer }}
{% for a in attributes %}
{% if a.name in labels %}
JOIN groups AS u# ON u#.attribute = # AND u#.level = w.l# AND u#.code = t.c#
    AND u#.label {% if labels[a.name] is none %}IS NULL{% else %}= {{ labels[a.name] | literal }}{% endif +%}
    {% if a.name in levels %}
    AND w.l# = {{ levels[a.name] | integer }}
    {% endif %}
{% endif %}
{% endfor %}
WHERE 1 = 1
{% for a in attributes %}
    {% if a.name not in labels %}
    AND w.l# = {{ a.height | integer }}
    {% endif %}
{% endfor %}
