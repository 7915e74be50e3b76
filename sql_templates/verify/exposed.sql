{# Patterns that are released as one which withholds less.
   grain: one row
   in: patterns, combinations' bits in pattern, semi
   out: how many #}
SELECT COUNT(*) AS exposed
FROM patterns AS p
WHERE {% for a in semi %}CAST(FLOOR(p.pattern / CAST({{ (2 ** loop.index0) | integer }} AS DOUBLE)) AS BIGINT) % 2 > p.f{{ a.index | integer }}{% if not loop.last %} OR {% endif %}{% endfor +%}
