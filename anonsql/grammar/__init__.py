"""Parsers of the texts that people and programs read back: literals, labels and conditions. What a
parsed text means for rows is decided by the packages that use it."""
