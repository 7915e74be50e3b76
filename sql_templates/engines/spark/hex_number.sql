{# See engines/hex_number.
   in: digits (a reference to a text), start (the position of the first)
   out: an expression: a DOUBLE #}
CAST(CONV(SUBSTR({{ digits | ident }}, {{ start | integer }}, 10), 16, 10) AS DOUBLE)
