{# Whether what is released of a region stands for the value of a cell.
   in: a (attribute), forms, s (the cell), b (the region's box)
   out: a condition #}
{% if forms[a.index] == 'range' %}
{{ a | sql('CASE WHEN b.top# IS NULL THEN s.p# BETWEEN b.lo# AND b.hi# ELSE s.t# = b.top# END') }}
{%- else %}
{{ a | sql('POSITION(s.w# IN b.words#) > 0') }}
{%- endif %}
