{# Classes whose entropy is below ln l.
   grain: one row per such class
   in: model, promise
   out: see verification/far_by_shares #}
{% extends 'verification/far_by_shares.sql' %}
{% block broken %}
-SUM(s.own_share * LN(s.own_share)) < {{ (model.log - promise.tolerance) | number }}
{% endblock %}
