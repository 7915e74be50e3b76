{# The values of a column that is told as it is, as far as they are few.
   grain: one row per value, NULL included
   in: c (queried column), domain_<index>, most (how many values, at most)
   out: (value) #}
SELECT d.value
FROM domain_{{ c.index | integer }} AS d
ORDER BY d.code
LIMIT {{ most | integer }}
