"""Attacks on releases: what is guessed of people from what was published, and how often rightly."""
