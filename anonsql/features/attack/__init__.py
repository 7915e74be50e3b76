"""``anonsql attack``: what a release gives away to an attacker, compared with guesses without
it."""
