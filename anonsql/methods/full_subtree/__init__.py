"""Single-dimension full-subtree recoding (Incognito, section 5.1.1)."""
