{# out: everything of this transaction is done, at once #}
COMMIT
