{# How far a cell lies outside of what is released of a region: by how much its box would have to
   grow, each attribute by its domain and times its weight (NCP).
   in: attributes, forms, sizes {index: values}, s (the cell), b (the region's box)
   out: an expression #}
{% for a in attributes %}
{% set i = a.index %}
CASE
    WHEN {% include 'methods/hybrid/regions/inside.sql' %} THEN CAST(0 AS DOUBLE)
    {% if forms[i] == 'range' %}
    ELSE COALESCE(GREATEST(b.ylo{{ i | integer }} - s.y{{ i | integer }},
        s.y{{ i | integer }} - b.yhi{{ i | integer }}),
        CAST({{ a.policy.weight | literal }} AS DOUBLE))
    {% else %}
    ELSE CAST({{ a.policy.weight | literal }} AS DOUBLE)
        / {{ (sizes[i] - 1 if sizes[i] > 1 else 1) | integer }}
    {% endif %}
END
{%- if not loop.last %} + {% endif +%}
{% endfor %}
