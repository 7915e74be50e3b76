{# The cells of the regions to begin with.
   grain: one row per cell
   in: cells, parts_0, dim_<index>, attributes, promise
   out: table members_0(part, c1 … cn, promise.extras, promise.weights) #}
CREATE TABLE members_0 AS
SELECT
    p.part
{% for a in attributes %}
    , t.c{{ a.index | integer }}
{% endfor %}
{% for column in promise.extras + promise.weights %}
    , t.{{ column | ident }}
{% endfor %}
FROM cells AS t
{% for a in attributes %}
JOIN dim_{{ a.index | integer }} AS d{{ a.index | integer }} ON d{{ a.index | integer }}.code = t.c{{ a.index | integer }}
{% endfor %}
JOIN parts_0 AS p
    ON {% for a in attributes %}p.g{{ a.index | integer }} = d{{ a.index | integer }}.g{{ a.max_level | integer }}{% if not loop.last %} AND {% endif %}{% endfor +%}
