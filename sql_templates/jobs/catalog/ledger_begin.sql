{# A new ledger. Its secret is bound to the statement, not written into it.
   in: four bindings
   out: its line #}
INSERT INTO ledgers
SELECT UNNEST(?), UNNEST(?), STRING_SPLIT(UNNEST(?), CHR(0)), UNNEST(?)
