"""``anonsql attack``: what a release gives away to who attacks it, beside who does not have it."""
