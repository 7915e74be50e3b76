"""Proofs of published statistics: what tables show by themselves, and against the source."""
