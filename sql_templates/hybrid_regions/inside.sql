{# Whether what is released of a region stands for the value of a cell.
   in: a (attribute), forms, s (the cell), b (the region's box)
   out: a condition #}
{% if forms[a.index] == 'range' %}
CASE WHEN b.top{{ a.index | integer }} IS NULL THEN s.p{{ a.index | integer }} BETWEEN b.lo{{ a.index | integer }} AND b.hi{{ a.index | integer }} ELSE s.t{{ a.index | integer }} = b.top{{ a.index | integer }} END
{%- else %}
POSITION(s.w{{ a.index | integer }} IN b.words{{ a.index | integer }}) > 0
{%- endif %}
