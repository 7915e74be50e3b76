"""``query``: answer questions from a release, with bounds."""
