"""Verification of a release of several tables: by itself, and, while it is staged, against the
source. Nothing of the search, of the codes and of staging is used."""
