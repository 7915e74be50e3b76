-- name: left
{# The cells that lie in no group yet.
   in: table (of cells), placed, into
   out: table <into>, those cells #}
CREATE TABLE {{ into | ident }} AS
SELECT t.*
FROM {{ table | ident }} AS t
LEFT JOIN placed AS p ON p.cell = t.cell
WHERE p.cell IS NULL

-- name: none_placed
{# in: stock
   out: table placed(cell, grp) without rows #}
CREATE TABLE placed AS
SELECT t.cell, t.cell AS grp
FROM stock AS t
WHERE FALSE

-- name: place
{# in: picks, made, keys (way, k1 … km), promise
   out: rows of placed #}
INSERT INTO placed
SELECT {% if promise.extras %}DISTINCT {% endif %}p.cell, m.grp
FROM picks AS p
JOIN made AS m ON {{ keys | each('m.@ = p.@', ' AND ') }}
