{# grain: one row
   in: table (parts or next_parts)
   out: (parts held back, rows drawn from others) #}
SELECT
    CAST(COALESCE(SUM(CASE WHEN p.out THEN 1 ELSE 0 END), 0) AS BIGINT) AS parts,
    CAST(COALESCE(SUM(p.drawn), 0) AS BIGINT) AS drawn
FROM {{ table | ident }} AS p
