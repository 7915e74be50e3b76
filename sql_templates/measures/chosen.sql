{# The values that queries ask for, from their places.
   grain: one row per query and value
   in: a (column), domain_<index>, ranges_<index>(query, first, last)
   out: table predicates_<index>(query, code) #}
CREATE TABLE predicates_# AS
SELECT p.query, d.code
FROM ranges_# AS p
JOIN domain_# AS d ON d.place >= p.first AND d.place <= p.last
WHERE d.code > 0
