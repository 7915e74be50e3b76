{# out: the transaction has ended, and what it did is kept #}
COMMIT
