{# The ranges of tokens as positions in their weight.
   grain: one row per token and range
   in: completed_token_ranges, completed_units
   out: table completed_positions(position, token, first, past, start, total: see
       completion/drawn) #}
CREATE OR REPLACE TABLE completed_positions AS
SELECT
    q.position, q.token,
    q.reached - q.mass AS first,
    q.reached AS past,
    q.start - (q.reached - q.mass) AS start,
    q.total
FROM (
    SELECT
        m.*,
        CAST(SUM(m.mass) OVER (
            PARTITION BY m.position, m.token ORDER BY m.start
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS BIGINT) AS reached,
        CAST(SUM(m.mass) OVER (PARTITION BY m.position, m.token) AS BIGINT) AS total
    FROM (
        SELECT
            f.position, r.token,
            f.start,
            p.start + (p.past - p.first) * p.unit - f.start AS mass
        FROM completed_token_ranges AS r
        JOIN completed_units AS f ON f.of_column = r.position AND f.first = r.first
        JOIN completed_units AS p ON p.position = f.position AND p.past = r.past
    ) AS m
) AS q
