"""Measures: what information a release loses, and how much of the source's it keeps, whatever
method made it."""
