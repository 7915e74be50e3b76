"""Anatomy: sensitive values in a table of their own (Xiao, Tao, VLDB 2006)."""
