{# Who is in several combinations of labels, and who has several rows.
   grain: one row
   in: labelled
   out: the combinations of people and labels, the people in them, and the rows of the source #}
SELECT
    CAST(COUNT(*) AS BIGINT) AS total,
    CAST(COUNT(DISTINCT t.e) AS BIGINT) AS people,
    CAST(SUM(t.n) AS BIGINT) AS n
FROM labelled AS t
