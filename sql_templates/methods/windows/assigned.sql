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
