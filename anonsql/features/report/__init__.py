"""``report``: the pages of a release, for its owner and for its recipients."""
