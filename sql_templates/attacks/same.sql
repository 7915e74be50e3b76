{# Values that stand for themselves: of a draw, or of rows in which they were kept.
   grain: one row per value
   in: attacked_release, facet
   out: table covers_<facet>(label, code) #}
CREATE TABLE {{ ('covers_' ~ facet) | ident }} AS
SELECT DISTINCT t.v{{ facet | integer }} AS label, t.v{{ facet | integer }} AS code
FROM attacked_release AS t
WHERE t.v{{ facet | integer }} >= 0
