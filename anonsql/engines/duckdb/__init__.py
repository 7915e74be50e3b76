"""DuckDB: the engine, and releases in files of this machine."""
