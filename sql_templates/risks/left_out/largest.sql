{# The values that lost the greatest shares of their rows, of those that enough rows have.
   grain: one row per column and value, the greatest share first
   in: left_out_counts(number, value, n, lost), numbers (of the columns), least (rows that a value
       has in the source), most (values)
   out: (number, value, rows of the source, suppressed ones) #}
SELECT c.number, c.value, c.n, c.lost
FROM left_out_counts AS c
WHERE c.n >= {{ least | integer }} AND c.number IN ({{ numbers | listed('#') }})
ORDER BY CAST(c.lost AS DOUBLE) / c.n DESC, c.lost DESC, c.number, c.value NULLS FIRST
LIMIT {{ most | integer }}
