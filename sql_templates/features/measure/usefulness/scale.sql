{# The mean and the variance of a column of numbers, infinite ones and NaN aside.
   grain: one row
   in: source (table), a (column)
   out: (mean, variance: both NULL where there is no number, number of different values) #}
SELECT
    AVG(t.x) AS mean,
    AVG((t.x - c.mean) * (t.x - c.mean)) AS variance,
    CAST(COUNT(DISTINCT t.x) AS BIGINT) AS distinct_values
FROM (SELECT CAST(s.{{ a.name | ident }} AS DOUBLE) AS x FROM {{ source | ident }} AS s) AS t
CROSS JOIN (
    SELECT AVG(u.x) AS mean
    FROM (SELECT CAST(s.{{ a.name | ident }} AS DOUBLE) AS x FROM {{ source | ident }} AS s) AS u
    WHERE u.x BETWEEN -1e150 AND 1e150
) AS c
WHERE t.x BETWEEN -1e150 AND 1e150
