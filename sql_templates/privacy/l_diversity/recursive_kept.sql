{# Fewer rows have the commonest value than c times those from the l-th commonest on.
   in: model, promise; see privacy/shares for what it is over
   out: a condition #}
MAX(d.n) < {{ model.other | number }}
    * CAST(COALESCE(SUM(CASE WHEN d.own_place >= {{ model.bound | number }} THEN d.n END),
    0) AS BIGINT)
