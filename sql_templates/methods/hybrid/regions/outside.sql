{# How many values of a cell have to be changed to be what is released of a region.
   in: attributes, forms, s (the cell), b (the region's box)
   out: an expression #}
{% for a in attributes %}
CASE WHEN {% include 'methods/hybrid/regions/inside.sql' %} THEN 0 ELSE 1 END
{%- if not loop.last %} + {% endif +%}
{% endfor %}
