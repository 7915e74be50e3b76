{# grain: one row per label
   in: released_facts, a (attribute)
   out: (label, released rows) #}
SELECT t.c# AS label, CAST(SUM(t.n) AS BIGINT) AS n
FROM released_facts AS t
GROUP BY t.c#
