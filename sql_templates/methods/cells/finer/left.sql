{# The cells that lie in no group yet.
   in: table (of cells), placed, into
   out: table <into>, those cells #}
CREATE TABLE {{ into | ident }} AS
SELECT t.*
FROM {{ table | ident }} AS t
LEFT JOIN placed AS p ON p.cell = t.cell
WHERE p.cell IS NULL
