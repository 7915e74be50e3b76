{# What partitions are decided by: numbers of rows, and where one item differs from the next. No
   value.
   grain: one row per item, in order
   in: items, promise
   out: (n, depth, promise.extras) #}
SELECT i.n, i.depth{{ promise.extras | each(', i.@') }}
FROM items AS i
ORDER BY i.item
