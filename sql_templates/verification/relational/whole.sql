{# How many people have one whole tree.
   grain: one row
   in: k, whole_1
   out: (kinds of trees, those of fewer than k people, the fewest people that one has) #}
SELECT COUNT(*) AS things, COUNT(CASE WHEN g.people < {{ k | integer }} THEN 1 END) AS rare,
    MIN(g.people) AS fewest
FROM (SELECT COUNT(*) AS people FROM whole_1 AS w GROUP BY w.kind) AS g
