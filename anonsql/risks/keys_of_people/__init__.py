"""Columns that are keys of people, such as a patient's number: several rows may be one person, and
k counts rows."""
