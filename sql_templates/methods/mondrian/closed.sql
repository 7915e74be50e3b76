{# Parts that are cut no further: none of their attributes can be cut.
   grain: one row per part
   in: parts, chosen, all (whether every attribute was tried), k
   out: table closed(part) #}
CREATE TABLE closed AS
SELECT p.part
FROM {{ parts | ident }} AS p
LEFT JOIN chosen AS h ON h.part = p.part
WHERE h.part IS NULL{% if not all %} AND (p.stuck = 1 OR p.n < 2 * {{ k | integer }}){% endif +%}
