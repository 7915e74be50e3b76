{# How cells lie to regions: s is the cell, b the region's box.
   out: macros #}

{# Whether what is released of a region stands for the value of a cell.
   in: a (attribute), forms
   out: a condition #}
{% macro inside(a, forms) %}
{% if forms[a.index] == 'range' %}
CASE WHEN b.top# IS NULL THEN s.p# BETWEEN b.lo# AND b.hi# ELSE s.t# = b.top# END
{%- else %}
POSITION(s.w# IN b.words#) > 0
{%- endif %}
{% endmacro %}

{# How many values of a cell have to be changed to be what is released of a region.
   in: attributes, forms
   out: an expression #}
{% macro outside(attributes, forms) %}
{% for a in attributes %}
CASE WHEN {{ inside(a, forms) }} THEN 0 ELSE 1 END
{%- if not loop.last %} + {% endif +%}
{% endfor %}
{% endmacro %}

{# How far a cell lies outside of what is released of a region: by how much its box would have to
   grow, each attribute by its domain and times its weight (NCP).
   in: attributes, forms, sizes {index: values}
   out: an expression #}
{% macro distance(attributes, forms, sizes) %}
{% for a in attributes %}
CASE
    WHEN {{ inside(a, forms) }} THEN CAST(0 AS DOUBLE)
    {% if forms[a.index] == 'range' %}
    ELSE COALESCE(
        GREATEST(b.ylo# - s.y#, s.y# - b.yhi#), CAST({{ a.policy.weight | literal }} AS DOUBLE)
    )
    {% else %}
    ELSE CAST({{ a.policy.weight | literal }} AS DOUBLE)
        / {{ (sizes[a.index] - 1 if sizes[a.index] > 1 else 1) | integer }}
    {% endif %}
END
{%- if not loop.last %} + {% endif +%}
{% endfor %}
{% endmacro %}
