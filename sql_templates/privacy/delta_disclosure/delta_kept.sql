{# Every value is there, none that the table lacks, and no share is far from that in the table, as
   a logarithm.
   in: model, promise; see privacy/shares for what it is over
   out: a condition #}
COUNT(*) = MAX(d.own_m)
AND MIN(d.own_share) > 0
AND MAX(LN(d.own_amount / d.own_total
    / NULLIF(d.own_most, 0))) < {{ (model.bound - promise.tolerance) | number }}
AND MIN(LN(d.own_amount / d.own_total
    / NULLIF(d.own_least, 0))) > {{ (promise.tolerance - model.bound) | number }}
