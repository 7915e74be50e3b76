{# Add the rows of one table to another with the same columns.
   in: table, part (a table)
   out: more rows in the table #}
INSERT INTO {{ table | ident }} SELECT p.* FROM {{ part | ident }} AS p
