-- name: counts
{# What partitions are decided by: numbers of rows, and where one item differs from the next. No
   value.
   grain: one row per item, in order
   in: items, promise
   out: (n, depth, promise.extras) #}
SELECT i.n, i.depth{{ promise.extras | each(', i.@') }}
FROM items AS i
ORDER BY i.item

-- name: lengths
{# All steps of spans of every length up to the longest, the first being 0.
   grain: one row per length and step
   in: digits(digit: from 0 to the longest)
   out: table lengths(length, step) #}
CREATE TABLE lengths AS
SELECT d.digit AS length, e.digit AS step
FROM digits AS d
JOIN digits AS e ON e.digit <= d.digit
