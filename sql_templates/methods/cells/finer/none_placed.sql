{# in: stock
   out: table placed(cell, grp) without rows #}
CREATE TABLE placed AS
SELECT t.cell, t.cell AS grp
FROM stock AS t
WHERE FALSE
