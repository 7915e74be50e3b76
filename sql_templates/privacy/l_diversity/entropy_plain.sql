{# Classes whose entropy is below ln l.
   grain: one row per such class
   in: see verification/plain_sql/by_shares
   out: see verification/plain_sql/by_shares #}
{% extends 'verification/plain_sql/by_shares.sql' %}
{% block broken %}
-SUM(s.{{ ('share' ~ mark) | ident }} * LN(s.{{ ('share' ~ mark) | ident }}))
    < {{ (model.log - tolerance) | number }}
{% endblock %}
