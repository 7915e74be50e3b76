{# See engines/keyed_hash; anonsql adds the function to each connection.
   in: ledger_secret (inward, outward), hashed (a reference to a text)
   out: an expression #}
KEYED_HASH(
    {{ hashed | ident }},
    (SELECT z.inward FROM ledger_secret AS z), (SELECT z.outward FROM ledger_secret AS z)
)
