{# Closed parts are final.
   in: parts, closed, attributes
   out: rows of final_parts #}
INSERT INTO final_parts
SELECT p.part, p.n{% for a in attributes %}, p.lo{{ a.index | integer }}, p.hi{{ a.index | integer }}{% endfor +%}
FROM {{ parts | ident }} AS p
JOIN closed AS e ON e.part = p.part
