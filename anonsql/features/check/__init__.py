"""``check``: what is wrong with a policy, before anything runs."""
