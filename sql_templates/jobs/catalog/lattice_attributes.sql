{# grain: one row per quasi-identifying attribute, in policy order
   in: rows (dim, name, min_level, max_level) #}
CREATE TABLE lattice.attributes AS
SELECT * FROM (VALUES {{ rows | rows }}) AS a (dim, name, min_level, max_level)
