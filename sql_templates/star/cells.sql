{# The integer-coded fact table of the star schema, at the least levels the policy allows.
   grain: one row per distinct combination of group codes
   in: combinations, dim_<index>, attributes
   out: table cells(c1 … cn, n) #}
CREATE TABLE cells AS
SELECT
{% for a in attributes %}
    COALESCE(d{{ a.index | integer }}.g{{ a.min_level | integer }}, 0) AS c{{ a.index | integer }},
{% endfor %}
    CAST(SUM(t.n) AS BIGINT) AS n
FROM combinations AS t
{% for a in attributes %}
LEFT JOIN dim_{{ a.index | integer }} AS d{{ a.index | integer }} ON d{{ a.index | integer }}.value = t.q{{ a.index | integer }}
{% endfor %}
GROUP BY
{% for a in attributes %}
    COALESCE(d{{ a.index | integer }}.g{{ a.min_level | integer }}, 0){% if not loop.last %},{% endif +%}
{% endfor %}
