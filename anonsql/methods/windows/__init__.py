"""Windows: each row is released as what several neighbours in an order have in common."""
