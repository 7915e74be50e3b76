{# The values with the least released shares of their rows, of those that enough rows have.
   grain: one row per column and value, the least share first
   in: group_shares, least (rows of the source that a value is told from), most (values)
   out: (number, value, rows of the source, released at least, released at most) #}
SELECT g.number, g.value, g.n, g.least, g.most
FROM group_shares AS g
WHERE g.n >= {{ least | integer }} AND g.most < g.n
ORDER BY CAST(g.most AS DOUBLE) / g.n, g.n DESC, g.number, g.value NULLS FIRST
LIMIT {{ most | integer }}
