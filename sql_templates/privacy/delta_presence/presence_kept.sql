{# Rows of the table are no greater and no smaller a share of those of the population.
   in: model, promise; see privacy/counts for what it is over
   out: a condition #}
CAST(SUM(f.n) AS BIGINT) BETWEEN {{ model.other | number }} * CAST(SUM(f.p) AS BIGINT)
    AND {{ model.bound | number }} * CAST(SUM(f.p) AS BIGINT)
