{# Who is in several combinations of labels.
   grain: one row
   in: labelled
   out: the rows, and the people that are named in them #}
SELECT
    CAST(COUNT(*) AS BIGINT) AS total,
    CAST(COUNT(DISTINCT t.e) AS BIGINT) AS people
FROM labelled AS t
