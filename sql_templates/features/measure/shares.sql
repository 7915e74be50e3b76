{# The share of every label that queries ask for: of the values that it stands for, those among
   them.
   grain: one row per query and label of which it asks for something
   in: covers_<index>, predicates_<index>, a (attribute)
   out: table shares_<index>(query, label, share) #}
CREATE TABLE shares_# AS
SELECT
    p.query, v.label,
    CAST(COUNT(*) AS DOUBLE) / CAST(MAX(v.size) AS DOUBLE) AS share
FROM (
    SELECT c.label, c.code, COUNT(*) OVER (PARTITION BY c.label) AS size
    FROM covers_# AS c
) AS v
JOIN predicates_# AS p ON p.code = v.code
GROUP BY p.query, v.label
