{# out: the transaction has ended, and what it did is gone #}
ROLLBACK
