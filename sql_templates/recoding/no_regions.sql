{# in: cells, attributes
   out: table regions(grp, n, l1 … ln, g1 … gn) without rows #}
CREATE TABLE regions AS
SELECT t.n AS grp, t.n{% for a in attributes %}, t.c{{ a.index | integer }} AS l{{ a.index | integer }}{% endfor %}{% for a in attributes %}, t.c{{ a.index | integer }} AS g{{ a.index | integer }}{% endfor +%}
FROM cells AS t
WHERE FALSE
