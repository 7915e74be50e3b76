{# See engines/keyed_hash; compared byte by byte, as on every engine.
   in: ledger_secret (inward, outward), hashed (a reference to a text)
   out: an expression #}
{% include 'engines/keyed_hash.sql' %} COLLATE "C"
