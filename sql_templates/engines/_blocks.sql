-- name: hex_number
{# Ten hexadecimal digits of a text as a number.
   in: digits (a reference to a text), start (the position of the first)
   out: an expression: a DOUBLE #}
CAST(CAST('0x' || SUBSTR({{ digits | ident }}, {{ start | integer }}, 10) AS BIGINT) AS DOUBLE)

-- name: keyed_hash
{# HMAC-SHA-256 (RFC 2104) of a text by the ledger's secret, its first 32 hexadecimal digits.
   in: ledger_secret (inward, outward: the key padded, in hexadecimal digits), hashed (an expression
       of the including template: a reference to a text)
   out: an expression #}
SUBSTR(SHA256(
    UNHEX((SELECT z.outward FROM ledger_secret AS z)) || UNHEX(SHA256(
        UNHEX((SELECT z.inward FROM ledger_secret AS z)) || ENCODE({{ hashed | ident }})
    ))
), 1, 32)

-- name: session_view
{# A scratch view where views of a schema cannot read all that a session can.
   in: view, select (a template), and what the template takes besides
   out: the view, of this session alone #}
CREATE TEMPORARY VIEW {{ view | ident }} AS
{% include select ~ '.sql' %}
