{# out: the pending release is known to be published #}
UPDATE ledger_releases SET settled = TRUE
