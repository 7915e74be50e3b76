{# The rows of a published table that a policy publishes by name.
   grain: one row per row
   in: table, heights {dimension: the level of the total}, labels {dimension: label, or none}, levels
       {dimension: the level of its label}; a dimension without a label is at its total
   out: the level of every dimension #}
SELECT {% for d in heights %}{{ ['t', d ~ '_level'] | ident }}{% if not loop.last %}, {% endif %}{% endfor +%}
FROM {{ table | ident }} AS t
WHERE 1 = 1
{% for d in heights %}
    {% if d not in labels %}
    AND {{ ['t', d ~ '_level'] | ident }} = {{ heights[d] | integer }}
    {% else %}
    AND {{ ['t', d ~ '_level'] | ident }} < {{ heights[d] | integer }}
    AND {{ ['t', d] | ident }} {% if labels[d] is none %}IS NULL{% else %}= {{ labels[d] | literal }}{% endif +%}
    {% if d in levels %}
    AND {{ ['t', d ~ '_level'] | ident }} = {{ levels[d] | integer }}
    {% endif %}
    {% endif %}
{% endfor %}
