"""How many rows of a table are the only ones of their kind in the population that it is a sample
of, estimated from the sizes of its classes."""
