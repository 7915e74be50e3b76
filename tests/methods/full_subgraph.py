"""Cases of full-subgraph."""

METHODS = {"full-subgraph": {"type": "full-subgraph"}}
