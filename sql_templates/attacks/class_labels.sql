{# The labels of classes.
   grain: one row per class of released rows
   in: judged_tuple_steps, steps, facets (of labels: columns v<facet>)
   out: (class, the numbers of its labels) #}
SELECT DISTINCT t.p{{ steps | integer }} AS class, {{ facets | idents('t') }}
FROM judged_tuple_steps AS t
ORDER BY class
