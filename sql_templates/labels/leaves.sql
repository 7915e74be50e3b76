{# The leaves of a hierarchy with all labels above each, in the order of intervals of names.
   grain: one row per leaf
   in: number (of the hierarchy), levels (their numbers)
   out: (the labels from level 0 to the top) #}
SELECT
{% for level in levels %}
    t.{{ ('l' ~ level) | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ ('labels_tree_' ~ number) | ident }} AS t
ORDER BY t.place
