"""Databases by SQLAlchemy: the engine, and releases in them."""
