{# See engines/hex_number; anonsql adds the function to each connection.
   in: digits (a reference to a text), start (the position of the first)
   out: an expression: a DOUBLE #}
HEX_NUMBER(SUBSTR({{ digits | ident }}, {{ start | integer }}, 10))
