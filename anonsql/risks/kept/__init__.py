"""Columns that are released as they are: how many rows they single out, and what they reveal about
a class.

k is a promise about quasi-identifying columns. An attacker who knows a person's other values finds
the person's row by those, and a class whose rows all have one sensitive value reveals it for all of
them. Neither breaks a promise, so both are counted and reported, and a policy may set limits to
them.
"""
