{# in: cells, attributes
   out: table assigned(c1 … cn, grp) without rows #}
CREATE TABLE assigned AS
SELECT {{ attributes | each('t.c#,') }} t.n AS grp
FROM cells AS t
WHERE FALSE
