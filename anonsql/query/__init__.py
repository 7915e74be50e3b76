"""Aggregates of the original table answered from a release of it, whatever method made that."""
