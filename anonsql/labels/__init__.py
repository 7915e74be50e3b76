"""The values of released labels: one reader for proofs and for queries of releases."""
