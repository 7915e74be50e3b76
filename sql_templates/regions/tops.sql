{# The cells at the highest levels that may be released.
   grain: one row per combination of group codes there and of promise.extras
   in: cells, dim_<index>, attributes, promise
   out: table tops(g1 … gn, promise.extras, promise.weights) #}
CREATE TABLE tops AS
SELECT
{% for a in attributes %}
    d{{ a.index | integer }}.g{{ a.max_level | integer }} AS g{{ a.index | integer }},
{% endfor %}
{% for extra in promise.extras %}
    t.{{ extra | ident }},
{% endfor %}
{% for weight in promise.weights %}
    CAST(SUM(t.{{ weight | ident }}) AS BIGINT) AS {{ weight | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM cells AS t
{% for a in attributes %}
JOIN dim_{{ a.index | integer }} AS d{{ a.index | integer }} ON d{{ a.index | integer }}.code = t.c{{ a.index | integer }}
{% endfor %}
GROUP BY
{% for a in attributes %}
    d{{ a.index | integer }}.g{{ a.max_level | integer }}{% if promise.extras or not loop.last %},{% endif +%}
{% endfor %}
    {{ promise.extras | idents('t') }}
