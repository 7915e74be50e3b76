{# out: the pending release was not published, and is forgotten #}
DELETE FROM ledger_releases WHERE NOT settled
