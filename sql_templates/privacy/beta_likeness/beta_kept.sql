{# No value's share exceeds that in the table by more than beta times.
   in: model, promise; see privacy/shares for what it is over
   out: a condition #}
MAX(d.own_amount / d.own_total - {{ (model.bound + 1) | number }}
    * d.own_most) <= {{ promise.tolerance | number }}
