{# Every value is there, and no share is far from that in the table, as a logarithm.
   in: model, promise; see star/models/shares for what it is over
   out: a condition #}
COUNT(*) = MAX(d.own_m)
AND MAX(LN(d.own_amount / d.own_total
    / d.own_most)) < {{ (model.bound - promise.tolerance) | number }}
AND MIN(LN(d.own_amount / d.own_total
    / d.own_least)) > {{ (promise.tolerance - model.bound) | number }}
