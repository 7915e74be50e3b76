{# grain: one row
   in: table
   out: the least and the greatest number that SQLite gave a row, and how many rows there are #}
SELECT MIN(r.rowid), MAX(r.rowid), COUNT(*)
FROM {{ table | ident }} AS r
