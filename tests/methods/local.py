"""Cases of local."""

METHODS = {"local": {"type": "local"}}
