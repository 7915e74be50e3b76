"""``verify``: prove what is published."""
