"""Single-dimension ordered-set partitioning (Incognito, section 5.1.2)."""
