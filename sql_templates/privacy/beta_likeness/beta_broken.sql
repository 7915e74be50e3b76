{# Classes in which a value is much more frequent than in the whole table.
   grain: one row per such class
   in: model, promise
   out: see verification/far_by_shares #}
{% extends 'verification/far_by_shares.sql' %}
{% block broken %}
MAX(s.own_share - {{ (1 + model.bound) | number }} * s.own_most)
    > {{ promise.tolerance | number }}
{% endblock %}
