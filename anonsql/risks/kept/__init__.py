"""Columns that are released as they are: how many rows they single out, and what they give away of
a class.

What k promises is about quasi-identifying columns. Somebody who knows a person's other values finds
the person's row by those, and a class whose rows have one sensitive value tells it of all of them.
Neither breaks a promise, so both are counted and told, and a policy may set limits to them.
"""
