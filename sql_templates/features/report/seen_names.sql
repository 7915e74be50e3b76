{# The commonest values of a column in the source and how often the release has them; all others
   together, and apart from these the ones that fewer rows of the source have than k.
   grain: one row per shown value and one for each of the others
   in: a (coded column), seen_<index>, k, most (how many values are shown)
   out: (place from 1, -1 for the others, -2 for the rare ones; value as text, values, rows of the
       source, rows of the release) #}
SELECT
    g.place,
    MAX(CASE WHEN g.place > 0 THEN g.word END) AS word,
    COUNT(*) AS distinct_values,
    CAST(SUM(g.source) AS BIGINT) AS source,
    CAST(SUM(g.released) AS DOUBLE) AS released
FROM (
    SELECT
        CASE WHEN r.source < {{ k | integer }} THEN -2
            WHEN r.place > {{ most | integer }} THEN -1 ELSE r.place END AS place,
        r.word, r.source, r.released
    FROM (
        SELECT
            CAST(s.value AS VARCHAR) AS word, s.source, s.released,
            ROW_NUMBER() OVER (ORDER BY s.source DESC NULLS LAST, s.value NULLS FIRST) AS place
        FROM seen_# AS s
    ) AS r
) AS g
GROUP BY g.place
ORDER BY g.place NULLS FIRST
