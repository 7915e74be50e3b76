{# grain: one row
   in: groups, hidden, semi
   out: for each semi-sensitive attribute the released cells that are hidden #}
SELECT {% for a in semi %}CAST(COALESCE(SUM(CASE WHEN z.h{{ a.index | integer }} = 1 THEN x.n END), 0) AS BIGINT) AS n{{ a.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
FROM hidden AS z
JOIN groups AS x ON x.grp = z.grp
