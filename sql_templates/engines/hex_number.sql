{# Ten hexadecimal digits of a text as a number.
   in: digits (a reference to a text), start (the position of the first)
   out: an expression: a DOUBLE #}
CAST(CAST('0x' || SUBSTR({{ digits | ident }}, {{ start | integer }}, 10) AS BIGINT) AS DOUBLE)
