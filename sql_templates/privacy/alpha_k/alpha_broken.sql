{# Classes in which a value that the model is about is too frequent.
   grain: one row per such class
   in: model, promise
   out: see verification/far_by_shares #}
{% extends 'verification/far_by_shares.sql' %}
{% block broken %}
MAX(CASE WHEN s.own_named THEN s.own_n ELSE 0 END)
    > {{ model.bound | number }}
    * {% if promise.matching %}MAX(s.own_people){% else %}CAST(SUM(s.own_n) AS BIGINT){% endif +%}
{% endblock %}
