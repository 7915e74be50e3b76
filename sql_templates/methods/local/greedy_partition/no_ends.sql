{# in: spots
   out: table ended(part, id) without rows #}
CREATE TABLE ended AS
SELECT s.part, s.id
FROM spots AS s
WHERE FALSE
