"""Risks that k does not see: columns released as they are, people with several rows, promises that
promise little."""
