{# How many of the rows with each released value of the aggregated column satisfy a question.
   grain: one row per question and released value
   in: found, separate (whether the pivot's own condition is left to its buckets: rows in one are
       not certain then)
   out: (question, told: the value's number, certain, possible) #}
SELECT
    f.question, f.told,
    CAST(SUM({% if separate %}CASE WHEN f.unit = 0 THEN f.n * f.certain ELSE 0 END{% else %}f.n
        * f.certain{% endif %}) AS BIGINT) AS certain,
    CAST(SUM(f.n) AS BIGINT) AS possible
FROM found AS f
GROUP BY f.question, f.told
