"""Mondrian: multidimensional partitioning (LeFevre, DeWitt, Ramakrishnan, ICDE 2006)."""
