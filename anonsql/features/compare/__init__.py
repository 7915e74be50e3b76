"""``compare``: policies side by side on one source."""
