"""``guide``: the manual on a terminal."""
