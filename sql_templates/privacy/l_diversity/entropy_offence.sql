{# Classes whose entropy is below ln l.
   grain: one row per such class
   in: see verification/offence
   out: see verification/offence #}
{% extends 'verification/offence.sql' %}
{% block broken %}
-SUM(s.{{ ('share' ~ mark) | ident }} * LN(s.{{ ('share' ~ mark) | ident }}))
    < {{ (model.log - promise.tolerance) | number }}
{% endblock %}
