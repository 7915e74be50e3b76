"""Measures: what a release loses, and how much of the source it still tells, whatever method made
it."""
