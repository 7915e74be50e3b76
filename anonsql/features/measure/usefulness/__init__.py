"""What analyses find in a release and in its source: the completed table of the release (several
draws of plain values from its labels) is compared with the source by propensity scores, marginals,
correlations, group means, COUNT queries and a regression. Both tables are coded once, every value by
a bin that the source decides (:mod:`~anonsql.features.measure.usefulness.coding`); the values stay
in the database."""
