{# in: table, original, names (of the columns)
   out: the rows of the original in the table, in the order of their numbers #}
INSERT INTO {{ table | ident }} ({{ names | idents }})
SELECT {{ names | idents('r') }}
FROM {{ original | ident }} AS r
ORDER BY r.rowid
