{# Classes that lack a value, or in which one is much more or less frequent than in the whole
   table.
   grain: one row per such class
   in: model, promise
   out: see verification/far_by_shares #}
{% extends 'verification/far_by_shares.sql' %}
{% block broken %}
COUNT(*) < MAX(s.own_many)
OR MAX(LN(s.own_share) - LN(s.own_most)) >= {{ (model.bound - promise.tolerance) | number }}
OR MIN(LN(s.own_share) - LN(s.own_least)) <= {{ (promise.tolerance - model.bound) | number }}
{% endblock %}
