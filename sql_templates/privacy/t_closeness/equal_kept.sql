{# The equal distance is at most t. Absent values count by what the present ones leave of the
   reference: half of the sum over all values of |share - reference| is (sum over the present ones
   of (|share - reference| - reference) + 1) / 2.
   in: model, promise; see privacy/shares for what it is over
   out: a condition #}
(SUM(ABS(d.own_amount / d.own_total - d.own_share) - d.own_share) + 1)
    / 2 <= {{ (model.bound + promise.slack + promise.tolerance) | number }}
