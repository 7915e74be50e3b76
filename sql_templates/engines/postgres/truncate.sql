{# Gives the space back at once; a table dropped in a transaction keeps it until the end.
   in: table
   out: it is empty #}
TRUNCATE TABLE {{ table | ident }}
