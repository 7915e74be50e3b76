{# grain: one row
   in: groups, hidden, semi
   out: for each semi-sensitive attribute the released cells that are hidden #}
SELECT
    {{ semi | listed('CAST(COALESCE(SUM(CASE WHEN z.h# = 1 THEN x.n END), 0) AS BIGINT) AS n#') }}
FROM hidden AS z
JOIN groups AS x ON x.grp = z.grp
