{# At least k rows of the population.
   in: model, promise; see privacy/counts for what it is over
   out: a condition #}
SUM(f.p) >= {{ model.bound | number }}
