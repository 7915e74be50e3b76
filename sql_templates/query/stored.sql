{# The values in buckets of the aggregated column that satisfy what a question asks of it, where any
   row of the bucket may satisfy it.
   grain: one row per question, bucket and value
   in: units, index (of the column), uses_<index>, hits_<index>, stock_<index>
   out: (question, unit: the bucket, least and most: rows of it that satisfy the question, code: of
       the value, n: how often it is there) #}
SELECT u.question, u.unit, u.least, u.most, s.code, MAX(s.n) AS n
FROM units AS u
JOIN uses_{{ index | integer }} AS w ON w.question = u.question AND w.term > 0
JOIN hits_{{ index | integer }} AS h ON h.section = w.section
JOIN stock_{{ index | integer }} AS s ON s.bucket = u.unit AND s.code = h.code
WHERE u.most > 0
GROUP BY u.question, u.unit, u.least, u.most, s.code
