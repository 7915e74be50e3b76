"""``demo``: a made-up population, its policy, and the whole job on it."""
