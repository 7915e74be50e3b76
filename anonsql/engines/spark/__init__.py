"""Spark: the engine, and releases in its catalog."""
