"""Attacks on a release, with the source at hand, by an attacker who knows all quasi-identifying
values."""
