{# grain: one row, none where there is no ledger
   out: (secret, key column, coded columns, whether it was begun anew) #}
SELECT l.secret, l.key_column, l.coded_columns, l.anew FROM ledgers AS l
