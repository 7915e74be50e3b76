{# Classes that lack a value, or have one that the whole table lacks, or in which one is much more
   or less frequent than there.
   grain: one row per such class
   in: model, promise
   out: see verification/far_by_shares #}
{% extends 'verification/far_by_shares.sql' %}
{% block broken %}
COUNT(*) < MAX(s.own_many)
OR MIN(s.own_most) = 0
OR MAX(LN(s.own_share) - LN(NULLIF(s.own_most, 0)))
    >= {{ (model.bound - promise.tolerance) | number }}
OR MIN(LN(s.own_share) - LN(NULLIF(s.own_least, 0)))
    <= {{ (promise.tolerance - model.bound) | number }}
{% endblock %}
