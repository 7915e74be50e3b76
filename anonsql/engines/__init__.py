"""Database engines: the only place that imports their drivers."""
