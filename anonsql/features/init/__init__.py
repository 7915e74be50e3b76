"""``init``: propose a policy."""
