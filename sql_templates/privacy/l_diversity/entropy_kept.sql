{# An entropy of at least ln l.
   in: model, promise; see privacy/shares for what it is over
   out: a condition #}
LN(MAX(d.own_total)) - SUM(d.own_amount * LN(d.own_amount))
    / MAX(d.own_total) >= {{ (model.log - promise.tolerance) | number }}
