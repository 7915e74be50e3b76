"""What analyses find in a release, beside what they find in its source: the completed table of the
release (plain values drawn from what its labels may be, in several draws) is compared with the
source by propensity scores, marginals, correlations, group means, COUNT queries and a regression;
and what the release lets guess of people is told beside it.

Both tables are coded once, every value by a bin that the source decides
(:mod:`~anonsql.features.measure.usefulness.coding`); all else counts bins. The values themselves
stay in the database.
"""
