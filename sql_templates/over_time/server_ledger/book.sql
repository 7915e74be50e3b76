{# grain: one row
   in: table
   out: (secret, key column, coded columns (JSON), whether it was begun anew) #}
SELECT b.secret, b.key_column, b.coded_columns, b.anew FROM {{ table | ident }} AS b
