{# Classes whose commonest value is too frequent for the others.
   grain: one row per such class
   in: model, promise
   out: see verification/far_by_shares #}
{% extends 'verification/far_by_shares.sql' %}
{% block broken %}
MAX(s.own_n) >= {{ model.other | number }} * CAST(SUM(CASE
    WHEN s.own_rank >= {{ model.bound | number }} THEN s.own_n ELSE 0 END) AS BIGINT)
{% endblock %}
