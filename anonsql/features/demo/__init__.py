"""``demo``: a synthetic population, its policy, and the whole job on it."""
