{# The cells by the places of their values, in the parts to begin with: those that lie apart at the highest levels that may
   be released.
   grain: one row per cell (and promise.extras)
   in: cells, parts_0, dim_<index>, places, attributes, promise
   out: table members_0(part, p1 … pn, first and last when relaxed: which of the cell's rows, promise.extras, promise.weights) #}
CREATE TABLE members_0 AS
SELECT
    q.part
{% for a in attributes %}
    , CAST(t{{ a.index | integer }}.place AS INTEGER) AS p{{ a.index | integer }}
{% endfor %}
{% if relaxed %}
    , CAST(1 AS BIGINT) AS first
    , c.n AS last
{% endif %}
{% for column in promise.extras + promise.weights %}
    , c.{{ column | ident }}
{% endfor %}
FROM cells AS c
{% for a in attributes %}
JOIN places AS t{{ a.index | integer }} ON t{{ a.index | integer }}.attribute = {{ a.index | integer }} AND t{{ a.index | integer }}.code = c.c{{ a.index | integer }}
JOIN dim_{{ a.index | integer }} AS d{{ a.index | integer }} ON d{{ a.index | integer }}.code = c.c{{ a.index | integer }}
{% endfor %}
JOIN parts_0 AS q
    ON {% for a in attributes %}q.g{{ a.index | integer }} = d{{ a.index | integer }}.g{{ a.max_level | integer }}{% if not loop.last %} AND {% endif %}{% endfor +%}
