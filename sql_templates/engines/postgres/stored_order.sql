{# The place of a row in the order in which a table is stored: rows arrive in another one where
   several processes read them.
   in: r is the table
   out: an expression #}
ROW_NUMBER() OVER (ORDER BY r.ctid)
