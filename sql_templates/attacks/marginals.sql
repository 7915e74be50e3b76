{# How often each value of a secret was released.
   grain: one row per value
   in: attacked_release, attacked_words, facet (of the secret)
   out: (value, rows) #}
SELECT w.value, SUM(t.n * w.part) AS n
FROM attacked_release AS t
JOIN attacked_words AS w ON w.label = t.v{{ facet | integer }}
GROUP BY w.value
ORDER BY n DESC, w.value
