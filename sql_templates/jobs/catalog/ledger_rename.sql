{# out: the next rows of the ledger are its present ones #}
ALTER TABLE ledger_next RENAME TO ledger_rows
