{# The integer-coded fact table of the star schema, at the least levels the policy allows.
   grain: one row per distinct combination of group codes and coded values
   in: combinations, dim_<index>, attributes, values_<index> of the coded columns, coded, promise (its weights)
   out: table cells(c1 … cn, promise.extras, promise.weights); what the population alone has no value for is NULL #}
CREATE TABLE cells AS
SELECT
{% for a in attributes %}
    COALESCE(d{{ a.index | integer }}.g{{ a.min_level | integer }}, 0) AS c{{ a.index | integer }},
{% endfor %}
{% for a in coded %}
    CASE WHEN t.n > 0 THEN COALESCE(v{{ a.index | integer }}.code, 0) END AS x{{ a.index | integer }},
{% endfor %}
{% for weight in promise.weights %}
    CAST(SUM(t.{{ weight | ident }}) AS BIGINT) AS {{ weight | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM combinations AS t
{% for a in attributes %}
LEFT JOIN dim_{{ a.index | integer }} AS d{{ a.index | integer }} ON d{{ a.index | integer }}.value = t.q{{ a.index | integer }}
{% endfor %}
{% for a in coded %}
LEFT JOIN values_{{ a.index | integer }} AS v{{ a.index | integer }} ON v{{ a.index | integer }}.value = t.q{{ a.index | integer }}
{% endfor %}
GROUP BY
{% for a in attributes %}
    COALESCE(d{{ a.index | integer }}.g{{ a.min_level | integer }}, 0){% if coded or not loop.last %},{% endif +%}
{% endfor %}
{% for a in coded %}
    CASE WHEN t.n > 0 THEN COALESCE(v{{ a.index | integer }}.code, 0) END{% if not loop.last %},{% endif +%}
{% endfor %}
