{# The super-roots (Incognito 3.3.1): for each family, the frequency set of the most specific levels that all its
   candidates generalize.
   grain: one row per family and combination of group codes; attributes outside a family's subset hold 0
   in: cells, dim_<index>, table, attributes, families [(node, {attribute: level})]
   out: table <table>(node, c1 … cn, n) #}
CREATE TABLE {{ table | ident }} AS
{% for node, levels in families %}
SELECT
    {{ node | integer }} AS node,
{% for a in attributes %}
    {% if a.index not in levels %}
    0 AS c{{ a.index | integer }},
    {% elif levels[a.index] == a.min_level %}
    t.c{{ a.index | integer }},
    {% else %}
    d{{ a.index | integer }}.g{{ levels[a.index] | integer }} AS c{{ a.index | integer }},
    {% endif %}
{% endfor %}
    CAST(SUM(t.n) AS BIGINT) AS n
FROM cells AS t
{% for a in attributes if a.index in levels and levels[a.index] != a.min_level %}
JOIN dim_{{ a.index | integer }} AS d{{ a.index | integer }} ON d{{ a.index | integer }}.code = t.c{{ a.index | integer }}
{% endfor %}
GROUP BY
{% for a in attributes if a.index in levels %}
    {% if levels[a.index] == a.min_level %}t.c{{ a.index | integer }}{% else %}d{{ a.index | integer }}.g{{ levels[a.index] | integer }}{% endif %}{% if not loop.last %},{% endif +%}
{% endfor %}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
