{# Some classes of people, the small ones first.
   grain: one row per person
   in: after, until (how many people there are up to the last class before, and at most up to the
       last one of these), everybody (a table of people, see relational/search/standing)
   out: a SELECT of its columns #}
SELECT t.*
FROM everybody AS t
JOIN (
    SELECT v.class, SUM(v.n) OVER (ORDER BY v.n NULLS LAST, v.class NULLS LAST
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS people
    FROM (SELECT e.class, COUNT(*) AS n FROM everybody AS e GROUP BY e.class) AS v
) AS c ON c.class = t.class
WHERE c.people > {{ after | integer }} AND c.people <= {{ until | integer }}
