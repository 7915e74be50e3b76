{# Which class every cell lies in; cells of none are suppressed.
   grain: one row per released cell
   in: cells, parts (table: node, attribute, code, part), kept, attributes, node, promise
   out: table assigned(c1 … cn, grp) #}
CREATE TABLE assigned AS
SELECT {% if promise.extras %}DISTINCT {% endif +%}
{% for a in attributes %}
    t.c{{ a.index | integer }},
{% endfor %}
    x.grp
FROM cells AS t
{% for a in attributes %}
JOIN {{ parts | ident }} AS p{{ a.index | integer }}
    ON p{{ a.index | integer }}.node = {{ node | integer }}
    AND p{{ a.index | integer }}.attribute = {{ a.index | integer }}
    AND p{{ a.index | integer }}.code = t.c{{ a.index | integer }}
{% endfor %}
JOIN kept AS x
    ON {% for a in attributes %}x.r{{ a.index | integer }} = p{{ a.index | integer }}.part{% if not loop.last %} AND {% endif %}{% endfor +%}
