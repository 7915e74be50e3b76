{# The fewest different values of a sensitive column among the released rows that a row of the
   source may be which may be any.
   grain: one row
   in: as values_of_tuples, and judged_matches_<steps>
   out: (values) #}
SELECT CAST(COALESCE(MIN(d.n), 0) AS BIGINT) AS fewest
FROM (
    SELECT m.cell, COUNT(DISTINCT v.value) AS n
    FROM judged_matches_{{ steps | integer }} AS m
    JOIN ({% include 'verification/linking/values_of_tuples.sql' %}) AS v ON v.id = m.tuple
    GROUP BY m.cell
) AS d
