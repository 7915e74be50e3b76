{# The classes of a release, and which of them share rows of the source: these are one part, each
   other class is one by itself.
   grain: one row per released tuple of labels
   in: judged_matches_<steps>, judged_tuple_steps, steps, facets (the columns v<facet> of labels)
   out: table people_classes(class, part: 0 for those that share rows, v<facet>, n) #}
CREATE TABLE people_classes AS
WITH shared AS (
    SELECT m.cell
    FROM judged_matches_{{ steps | integer }} AS m
    GROUP BY m.cell
    HAVING COUNT(*) > 1
)
SELECT
    t.id AS class,
    CASE WHEN s.tuple IS NULL THEN t.id ELSE 0 END AS part,
    {{ facets | idents('t') }},
    t.n
FROM judged_tuple_steps AS t
LEFT JOIN (
    SELECT DISTINCT m.tuple
    FROM judged_matches_{{ steps | integer }} AS m
    JOIN shared AS c ON c.cell = m.cell
) AS s ON s.tuple = t.p{{ steps | integer }}
