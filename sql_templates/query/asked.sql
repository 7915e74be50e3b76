{# What of each bucket of a column satisfies the conditions on it.
   grain: one row per question, bucket and value
   in: uses_<index>, hits_<index>, stock_<index>, index, first and last (of the questions' numbers)
   out: table asked(question, bucket, value, n, size: of the bucket) #}
CREATE TABLE asked AS
SELECT q.question, s.bucket, s.value, CAST(SUM(s.n) AS BIGINT) AS n, MAX(s.size) AS size
FROM (
    SELECT DISTINCT u.question, u.cell
    FROM uses_{{ index | integer }} AS u
    WHERE u.term > 0 AND u.question BETWEEN {{ first | integer }} AND {{ last | integer }}
) AS q
JOIN hits_{{ index | integer }} AS h ON h.cell = q.cell
JOIN stock_{{ index | integer }} AS s ON s.code = h.code
GROUP BY q.question, s.bucket, s.value
