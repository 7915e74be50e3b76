{# Offenders: suppressed rows, when they are more than the policy allows.
   grain: no row when all is well, else one
   in: cells, k, limit (a share of all rows)
   out: (suppressed rows, all rows) #}
SELECT t.suppressed, t.total
FROM (
    SELECT SUM(CASE WHEN c.n < {{ k | integer }} THEN c.n ELSE 0 END) AS suppressed,
        SUM(c.n) AS total FROM cells AS c
) AS t
WHERE t.suppressed > t.total * {{ limit | number }}
