-- name: equal_kept
{# The equal distance is at most t. Absent values count by what the present ones leave of the
   reference: half of the sum over all values of |share - reference| is (sum over the present ones
   of (|share - reference| - reference) + 1) / 2.
   in: model, promise; see privacy/shares for what it is over
   out: a condition #}
(SUM(ABS(d.own_amount / d.own_total - d.own_share) - d.own_share) + 1)
    / 2 <= {{ (model.bound + promise.slack + promise.tolerance) | number }}

-- name: equal_nearest
{# How far a class of one value alone is from the whole table by the equal distance.
   grain: one row per value
   in: a (coded column), values_<index>
   out: a SELECT of (code, share, distance: NULL where there is one value alone) #}
SELECT v.code, v.share, CASE WHEN v.m > 1 THEN 1 - v.share END AS distance
FROM {{ ('values_' ~ a.index) | ident }} AS v
