{# The place of a row in the order in which a table is stored, which is that in which it is read.
   in: r is the table
   out: an expression #}
ROW_NUMBER() OVER ()
