{# in: cells, attributes, promise
   out: table assigned(c1 … cn, x<index> of promise.within, grp) without rows #}
CREATE TABLE assigned AS
SELECT {{ attributes | each('t.c#,') }} {{ promise.within | each('t.x#,') }} t.n AS grp
FROM cells AS t
WHERE FALSE
