{# out: nothing of the transaction is done #}
ROLLBACK
