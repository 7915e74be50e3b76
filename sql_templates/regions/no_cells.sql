{# in: members_0, attributes
   out: table assigned(c1 … cn, grp) without rows #}
CREATE TABLE assigned AS
SELECT {% for a in attributes %}m.c{{ a.index | integer }}, {% endfor %}m.part AS grp
FROM members_0 AS m
WHERE FALSE
