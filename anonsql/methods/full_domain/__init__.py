"""Full-domain generalization (Incognito, sections 2.1 and 3.2)."""
