{# See engines/hex_number.
   in: digits (a reference to a text), start (the position of the first)
   out: an expression: a DOUBLE #}
CAST(CAST(CAST(
    'x' || SUBSTR({{ digits | ident }}, {{ start | integer }}, 10) AS BIT(40)
) AS BIGINT) AS DOUBLE)
