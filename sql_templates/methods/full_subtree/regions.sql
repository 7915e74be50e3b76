{# The classes of cuts through hierarchies as regions: the levels and group codes of their nodes.
   grain: one row per class
   in: kept, paths, attributes
   out: table regions(grp, n, l1 … ln, g1 … gn) #}
CREATE TABLE regions AS
SELECT
    k.grp, k.n
    {{ attributes | each(', p#.level AS l#, p#.up AS g#') }}
FROM kept AS k
{{ attributes | each('JOIN paths AS p# ON p#.part = k.r# AND p#.code = p#.up') }}
