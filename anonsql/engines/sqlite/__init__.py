"""SQLite as an engine, and releases in its files."""
