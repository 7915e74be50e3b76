{# The rows of a reference table, as a hierarchy that lists its leaves.
   grain: one row per distinct key with its groups
   in: table (relation), columns (the key and the groups, finer ones first)
   out: (their texts, in this order) #}
SELECT DISTINCT
{% for column in columns %}
    {{ column | text('t', column.name) }} AS {{ ('c' ~ loop.index0) | ident }}
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS t
