{# The levels of the totals of a published table of statistics.
   grain: one row
   in: table, levels (its columns of levels)
   out: of each the highest level, NULL where the table has no rows #}
SELECT
{% for name in levels %}
    MAX({{ ['t', name] | ident }}) AS {{ ('l' ~ loop.index) | ident }}
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS t
