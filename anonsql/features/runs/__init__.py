"""``runs``: the history that the catalog keeps."""
