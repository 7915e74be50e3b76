"""Risks that k does not cover: columns released as they are, people with several rows, and promises
that are too weak."""
