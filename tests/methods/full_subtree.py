"""Cases of full-subtree."""

METHODS = {"full-subtree": {"type": "full-subtree"}}
