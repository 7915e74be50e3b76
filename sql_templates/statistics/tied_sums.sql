{# Whether sums are others together, of everybody everywhere.
   grain: one row
   in: combinations, ties (each a sum, and the sums that it may be together), factors (by the index of
       a sum: what its units are in those of the finest)
   out: of every tie the combinations where it does not hold #}
{% macro scaled(m) %}
CAST(t.{{ m | sql('s#') }} AS DOUBLE) * {{ factors[m.index] | integer }}
{%- endmacro %}
SELECT
{% for whole, parts in ties %}
    CAST(COUNT(CASE WHEN {{ scaled(whole) }} <> {% for part in parts %}{{ scaled(part) }}
        {%- if not loop.last %} + {% endif %}{% endfor %} THEN 1 END) AS BIGINT) AS {{ ('apart' ~ loop.index) | ident }}
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM combinations AS t
