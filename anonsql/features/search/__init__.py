"""``search``: every generalization that keeps the promise."""
