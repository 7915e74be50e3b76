"""Attacks on releases: guesses about people from published data, and how often they are right."""
