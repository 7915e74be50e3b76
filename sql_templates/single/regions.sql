{# The classes of cuts through hierarchies as regions: the levels and group codes of their nodes.
   grain: one row per class
   in: kept, paths, attributes
   out: table regions(grp, n, l1 … ln, g1 … gn) #}
CREATE TABLE regions AS
SELECT
    k.grp,
    k.n
{% for a in attributes %}
    , p{{ a.index | integer }}.level AS l{{ a.index | integer }}
    , p{{ a.index | integer }}.up AS g{{ a.index | integer }}
{% endfor %}
FROM kept AS k
{% for a in attributes %}
JOIN paths AS p{{ a.index | integer }} ON p{{ a.index | integer }}.part = k.r{{ a.index | integer }} AND p{{ a.index | integer }}.code = p{{ a.index | integer }}.up
{% endfor %}
