"""``anonsql tabulate``: the documents and words of published tables of counts and sums."""
