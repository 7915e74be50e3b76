"""``ledger``: what is known of releases that follow one another."""
