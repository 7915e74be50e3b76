"""Releases: their columns and tables, how rows become released rows, staging."""
