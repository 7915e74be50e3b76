{# The people whose whole trees fewer than k people have.
   grain: one row per person
   in: trees_1 (see trees), k
   out: a SELECT of (person, origin, parent, class) as of struck people #}
SELECT t.id AS person, 1 AS origin, t.id AS parent, t.tree AS class
FROM trees_1 AS t
JOIN (
    SELECT v.tree FROM trees_1 AS v GROUP BY v.tree HAVING COUNT(*) < {{ k | integer }}
) AS r ON r.tree = t.tree
