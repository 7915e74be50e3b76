"""``anonsql.read``: a release as data frames of plain values, to be analysed."""
