{# The values of a column of dates or timestamps.
   grain: one row per value but NULL
   in: c (queried column), domain_<index>
   out: (code, value) #}
SELECT d.code, d.value
FROM domain_{{ c.index | integer }} AS d
WHERE d.code > 0
