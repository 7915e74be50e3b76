"""``anonsql risk``: how likely rows of a release, or of its source, are to be re-identified."""
