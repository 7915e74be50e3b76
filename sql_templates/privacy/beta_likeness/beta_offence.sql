{# Classes in which a value is much more frequent than in the whole table.
   grain: one row per such class
   in: see verification/offence
   out: see verification/offence #}
{% extends 'verification/offence.sql' %}
{% block broken %}
MAX(
    s.{{ ('share' ~ mark) | ident }} - {{ (1 + model.bound) | number }}
    * ({{ (1 - promise.slack) | number }} * s.{{ ('table_share' ~ mark) | ident }}
        + {{ promise.slack | number }})
) > {{ promise.tolerance | number }}
{% endblock %}
