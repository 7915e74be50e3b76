{# Neighbours in a set joined to one.
   grain: one row per part, attribute and pair
   in: table (part, attribute, leaves, present, rank, words), into
   out: table <into>, the same of half as many #}
CREATE TABLE {{ into | ident }} AS
SELECT
    w.part,
    w.attribute,
    CAST(SUM(w.leaves) AS BIGINT) AS leaves,
    CAST(SUM(w.present) AS BIGINT) AS present,
    CAST(FLOOR(w.rank / 2.0) AS BIGINT) AS rank,
    MAX(CASE WHEN w.rank % 2 = 0 THEN w.words END) || COALESCE(', ' || MAX(CASE WHEN w.rank % 2 = 1 THEN w.words END), '') AS words
FROM {{ table | ident }} AS w
GROUP BY w.part, w.attribute, CAST(FLOOR(w.rank / 2.0) AS BIGINT)
