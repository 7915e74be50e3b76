{# out: nothing of this transaction was done #}
ROLLBACK
