"""Cases of ordered-partition."""

METHODS = {"ordered-partition": {"type": "ordered-partition", "budget": 5}}
