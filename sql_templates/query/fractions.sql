{# How many of a column's values are no multiples of the 1024th: sums of those that are multiples,
   and not too great, are exact.
   grain: one row
   in: c (queried column), numbers_<index>
   out: their number #}
SELECT CAST(COUNT(CASE
    WHEN d.number * 1024 = FLOOR(d.number * 1024) THEN NULL ELSE 1 END) AS BIGINT) AS n
FROM numbers_{{ c.index | integer }} AS d
