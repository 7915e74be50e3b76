{# in: table
   out: its rows, from the client #}
COPY {{ table | ident }} FROM STDIN
