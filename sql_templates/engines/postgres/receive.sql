{# in: table
   out: its rows, from the client as CSV, quoted where they are not NULL #}
COPY {{ table | ident }} FROM STDIN (FORMAT CSV)
