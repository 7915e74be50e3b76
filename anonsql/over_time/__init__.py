"""Releases that follow one another: which rows were released alike so far, and which rows must be
held back so that all releases together leave nobody among fewer than k."""
