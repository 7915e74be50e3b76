"""PostgreSQL: the engine, and releases in schemas of a server."""
