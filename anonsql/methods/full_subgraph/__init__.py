"""Multi-dimension full-subgraph recoding (Incognito, section 5.1.3)."""
