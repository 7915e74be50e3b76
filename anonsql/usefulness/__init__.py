"""How useful a release is: the errors of queries that are answered from it, by one yardstick for all methods."""
