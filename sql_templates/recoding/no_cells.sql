{# in: cells, attributes
   out: table assigned(c1 … cn, grp) without rows #}
CREATE TABLE assigned AS
SELECT {% for a in attributes %}t.c{{ a.index | integer }}, {% endfor %}t.n AS grp
FROM cells AS t
WHERE FALSE
