{# in: parts_0, attributes
   out: table regions(grp, n, l1 … ln, g1 … gn) without rows #}
CREATE TABLE regions AS
SELECT p.part AS grp, p.n{% for a in attributes %}, p.l{{ a.index | integer }}{% endfor %}{% for a in attributes %}, p.g{{ a.index | integer }}{% endfor +%}
FROM parts_0 AS p
WHERE FALSE
