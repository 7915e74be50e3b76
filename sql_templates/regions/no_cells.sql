{# in: members_0, attributes
   out: table assigned(c1 … cn, grp) without rows #}
CREATE TABLE assigned AS
SELECT {{ attributes | each('m.c#,') }} m.part AS grp
FROM members_0 AS m
WHERE FALSE
