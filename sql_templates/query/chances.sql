{# What each released value of a column may be for the terms of each question.
   grain: one row per question, term and released value that may satisfy what the term says of the
       column
   in: c (facet), touched_<index>, uses_<index>(question, term: 0 for all sections of the question's
       conditions, from 1 those of a term, section)
   out: table chances_<index>(question, term, value, inside: sections of the term that it may lie
       in, total: sections of the question, share, least, greatest, mass) #}
CREATE TABLE chances_{{ c.index | integer }} AS
SELECT
    u.question, u.term, t.value,
    CAST(COUNT(*) AS BIGINT) AS inside,
    MAX(w.total) AS total,
    CASE WHEN COUNT(*) = MAX(w.total) THEN 1
        WHEN COUNT(t.share) = COUNT(*) THEN SUM(t.share) END AS share,
    CASE WHEN COUNT(t.least) = COUNT(*) THEN MIN(t.least) END AS least,
    CASE WHEN COUNT(t.greatest) = COUNT(*) THEN MAX(t.greatest) END AS greatest,
    CASE WHEN COUNT(t.mass) = COUNT(*) THEN SUM(t.mass) END AS mass
FROM uses_{{ c.index | integer }} AS u
JOIN touched_{{ c.index | integer }} AS t ON t.section = u.section
JOIN (
    SELECT e.question, o.value, CAST(COUNT(*) AS BIGINT) AS total
    FROM uses_{{ c.index | integer }} AS e
    JOIN touched_{{ c.index | integer }} AS o ON o.section = e.section
    WHERE e.term = 0
    GROUP BY e.question, o.value
) AS w ON w.question = u.question AND w.value = t.value
WHERE u.term > 0
GROUP BY u.question, u.term, t.value
