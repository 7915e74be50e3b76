{# The people who are looked for: combinations of values that were drawn.
   grain: one row per drawn combination
   in: table (combinations with their id), attacked_picked(id, n: how often it was drawn), facets
       (columns v<facet>)
   out: table judged_cells(id, v<facet>, n) #}
CREATE TABLE judged_cells AS
SELECT t.id, {{ facets | idents('t') }}, p.n
FROM {{ table | ident }} AS t
JOIN attacked_picked AS p ON p.id = t.id
