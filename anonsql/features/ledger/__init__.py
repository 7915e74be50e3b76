"""``ledger``: the record of releases that follow one another."""
