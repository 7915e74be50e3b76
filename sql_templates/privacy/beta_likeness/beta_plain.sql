{# Classes in which a value is much more frequent than in the whole table.
   grain: one row per such class
   in: see verification/plain_sql/by_shares
   out: see verification/plain_sql/by_shares #}
{% extends 'verification/plain_sql/by_shares.sql' %}
{% block broken %}
MAX(
    s.{{ ('share' ~ mark) | ident }} - {{ (1 + model.bound) | number }}
    * ({{ (1 - slack) | number }} * s.{{ ('table_share' ~ mark) | ident }}
        + {{ slack | number }})
) > {{ tolerance | number }}
{% endblock %}
