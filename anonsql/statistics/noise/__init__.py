"""Differential privacy of published statistics: rows of a person are bounded, cells are those of a
public domain or of stable keys, noise is drawn by OpenDP, and made consistent after."""
