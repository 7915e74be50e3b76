{# grain: one row
   in: marked, semi
   out: for each semi-sensitive attribute the rows of which nobody knows whether it is sensitive to them #}
SELECT {% for a in semi %}CAST(COALESCE(SUM(m.u{{ a.index | integer }}), 0) AS BIGINT) AS u{{ a.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
FROM marked AS m
