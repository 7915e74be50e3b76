{# The people at nodes that are known to fail, as struck ones.
   grain: one row per person
   in: failed (the nodes), together (how many nodes there are), standing_1
   out: a SELECT of (person, origin, parent, class) as of struck people #}
SELECT t.id AS person, 1 AS origin, t.id AS parent, t.class
FROM standing_1 AS t
WHERE t.id % {{ together | integer }} IN ({{ failed | listed('#') }})
