{# Classes that are too far from the whole table by the equal distance: what must move is what some
   values have too much.
   grain: one row per such class
   in: model, promise
   out: see verification/far_by_shares #}
{% extends 'verification/far_by_shares.sql' %}
{% block broken %}
SUM(CASE WHEN s.own_share > s.own_seen THEN s.own_share - s.own_seen ELSE 0 END)
    > {{ (model.bound + promise.slack + promise.tolerance) | number }}
{% endblock %}
