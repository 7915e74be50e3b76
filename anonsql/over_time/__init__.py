"""Releases that follow one another: which rows had equal labels so far, and which rows must be held
back so that all releases together leave no person among fewer than k."""
