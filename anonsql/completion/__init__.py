"""Completed tables: copies of a release in which a plain value, drawn from what it may be, stands
for every label. They are made from the release alone."""
