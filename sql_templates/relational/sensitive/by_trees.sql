{# People, with the kind of their whole tree in place of their class.
   grain: one row per person
   in: standing_1, trees_1
   out: a SELECT of (id, parent, person, class) #}
SELECT t.id, t.parent, t.person, w.tree AS class
FROM standing_1 AS t
JOIN trees_1 AS w ON w.id = t.id
