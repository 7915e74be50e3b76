-- name: assigned
{# Which rows of each cell are released as which window.
   grain: one row per cell (and promise.extras) and window
   in: portions(item, grp, first, last: of the item's rows in random order), items, attributes,
       promise
   out: table assigned(c1 … cn, promise.extras, grp, first, last) #}
CREATE TABLE assigned AS
SELECT
    {{ attributes | each('i.c#,') }}
    {{ promise.extras | each('i.@,') }}
    p.grp, p.first, p.last
FROM portions AS p
JOIN items AS i ON i.item = p.item

-- name: counts
{# What partitions are decided by: numbers of rows, and where one item differs from the next. No
   value.
   grain: one row per item, in order
   in: items, promise
   out: (n, depth, promise.extras) #}
SELECT i.n, i.depth{{ promise.extras | each(', i.@') }}
FROM items AS i
ORDER BY i.item

-- name: framed
{# The windows that are released, by what they span of each attribute.
   grain: one row per window
   in: windows(grp, part, first_run, last_run, n), runs, attributes
   out: table framed(grp, n, part, for each attribute p<i>: place of its first value, from<i> and
       upto<i>: changes before its first and last member) #}
CREATE TABLE framed AS
SELECT
    w.grp, w.n, w.part
    {{ attributes | each(', f.p#, f.a# AS from#, l.a# AS upto#') }}
FROM windows AS w
JOIN runs AS f ON f.part = w.part AND f.run = w.first_run
JOIN runs AS l ON l.part = w.part AND l.run = w.last_run

-- name: lengths
{# All steps of spans of every length up to the longest, the first being 0.
   grain: one row per length and step
   in: digits(digit: from 0 to the longest)
   out: table lengths(length, step) #}
CREATE TABLE lengths AS
SELECT d.digit AS length, e.digit AS step
FROM digits AS d
JOIN digits AS e ON e.digit <= d.digit
