"""Cell suppression by linear programs: which cells are hidden, and an audit of what the published
ones reveal about them."""
