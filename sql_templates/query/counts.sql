{# The answers to COUNT, and the expected sums.
   grain: one row per question that any row may satisfy
   in: units, aggregated
   out: (question, least, most, expected number, expected sum, that of the rows in no bucket) #}
SELECT
    u.question,
    CAST(SUM(u.least) AS BIGINT) AS least,
    CAST(SUM(u.most) AS BIGINT) AS most,
    CASE WHEN COUNT(u.chance) = COUNT(*) THEN CAST(SUM(u.chance) AS DOUBLE) END AS chance,
    {% if aggregated %}
    CASE WHEN COUNT(u.mass) = COUNT(*) THEN CAST(SUM(u.mass) AS DOUBLE) END AS mass,
    CAST(SUM(CASE WHEN u.unit = 0 THEN u.mass ELSE 0 END) AS DOUBLE) AS apart
    {% else %}
    CAST(NULL AS DOUBLE) AS mass,
    CAST(NULL AS DOUBLE) AS apart
    {% endif %}
FROM units AS u
GROUP BY u.question
