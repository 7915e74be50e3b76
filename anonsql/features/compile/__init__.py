"""``compile``: a recoding as plain SQL files."""
