"""``anonsql tabulate``: publish tables of counts and sums. The job is that of ``anonsql run``; here
are its documents and words."""
