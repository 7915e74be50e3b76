"""Local recoding by cells (Incognito, section 5.2)."""
