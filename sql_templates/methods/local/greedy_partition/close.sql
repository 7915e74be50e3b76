{# The cells of parts that are cut no further.
   in: table (open cells), seeds_0
   out: rows of ended #}
INSERT INTO ended
SELECT o.part, o.id
FROM {{ table | ident }} AS o
LEFT JOIN seeds_0 AS s ON s.part = o.part
WHERE s.part IS NULL
