"""``advise``: try methods and numbers k, and recommend one."""
