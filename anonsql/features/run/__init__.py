"""``run``: the whole job."""
