{# grain: one row
   in: relocated_rows, side
   out: the rows of a side #}
SELECT CAST(COALESCE(SUM(r.n), 0) AS BIGINT) AS n
FROM relocated_rows AS r
WHERE r.side = {{ side | integer }}
