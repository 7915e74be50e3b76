"""Attacks on a release, with the source at hand: what somebody who knows all quasi-identifying
values can learn from it."""
