{# About how many things may be known of people, by how many rows are known.
   grain: one row
   in: knowable
   out: (one row, two, three) #}
SELECT SUM(CAST(g.n AS DOUBLE)) AS one, SUM(CAST(g.n AS DOUBLE) * g.n / 2) AS two,
    SUM(CAST(g.n AS DOUBLE) * g.n * g.n / 6) AS three
FROM (
    SELECT k.person, COUNT(*) AS n FROM knowable AS k GROUP BY k.person
) AS g
