"""Windows: rows released as what neighbours in an order have in common."""
