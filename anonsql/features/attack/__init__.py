"""``anonsql attack``: what a release reveals to an attacker, compared with guesses without it."""
