{# The ranges of atoms that tokens stand for.
   grain: one row per token and range
   in: completed_spans, completed_labels
   out: table completed_token_ranges(position, token, n: rows, first, past, points) #}
CREATE OR REPLACE TABLE completed_token_ranges AS
SELECT t.position, t.token, t.n, t.pair[1] AS first, t.pair[2] AS past, t.points
FROM (
    SELECT
        s.position, s.token,
        CAST(SUM(v.n) AS BIGINT) AS n,
        MIN(s.points) AS points,
        UNNEST(ARG_MIN(s.ranges, s.value)) AS pair
    FROM completed_spans AS s
    JOIN completed_labels AS v ON v.position = s.position AND v.value = s.value
    GROUP BY s.position, s.token
) AS t
