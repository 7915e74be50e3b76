{# HMAC-SHA-256 (RFC 2104) of a text by the ledger's secret, its first 32 hexadecimal digits.
   in: ledger_secret (inward, outward: the key padded, in hexadecimal digits), hashed (an expression
       of the including template: a reference to a text)
   out: an expression #}
SUBSTR(SHA256(
    UNHEX((SELECT z.outward FROM ledger_secret AS z)) || UNHEX(SHA256(
        UNHEX((SELECT z.inward FROM ledger_secret AS z)) || ENCODE({{ hashed | ident }})
    ))
), 1, 32)
