"""Cases of anatomy."""

METHODS = {"anatomy": {"type": "anatomy"}}
