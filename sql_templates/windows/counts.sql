{# What partitions are decided by: numbers of rows, and where one item differs from the next. No value.
   grain: one row per item, in order
   in: items, promise
   out: (n, depth, promise.extras) #}
SELECT i.n, i.depth{% for extra in promise.extras %}, i.{{ extra | ident }}{% endfor +%}
FROM items AS i
ORDER BY i.item
