"""``check``: the problems of a policy, before anything runs."""
