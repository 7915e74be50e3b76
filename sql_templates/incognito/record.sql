{# in: lists of (size, id, satisfied, checked, classes, min_class, suppressed), bound
   out: appended to the verdicts #}
INSERT INTO lattice.verdicts SELECT UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?)
