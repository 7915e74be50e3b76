{# Classes of fewer than l values. NULL is a value.
   grain: one row per such class
   in: see verification/offence
   out: see verification/offence #}
{% extends 'verification/offence.sql' %}
{% block broken %}
COUNT(*) < {{ model.bound | number }}
{% endblock %}
