{# The place of a row in the order in which a table is read: MariaDB sorts rows for a window, in no
   order of theirs, and counts them as they come with this function.
   in: r is the table
   out: an expression #}
ROWNUM()
