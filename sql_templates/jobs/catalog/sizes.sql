{# grain: one row per node
   in: search_key
   out: (node, its class sizes) #}
SELECT c.node, c.groups, c.smallest, c.classes, c.min_class, c.suppressed, c.squares
FROM class_sizes AS c
WHERE c.search_key = {{ search_key | literal }}
