{# What is known of hierarchies as a whole: their leaves, whether NULL is one, and the top.
   grain: one row per hierarchy
   in: trees (number, top: the number of its top level)
   out: (number, leaves, nulls, label of the top) #}
{% for number, top in trees %}
SELECT
    {{ number | integer }} AS number,
    COUNT(*) AS leaves,
    COUNT(*) - COUNT(t.l0) AS nulls,
    ARG_MIN(t.{{ ('l' ~ top) | ident }}, t.line) AS top
FROM {{ ('labels_tree_' ~ number) | ident }} AS t
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
