{# Classes in which a value that the model is about is too frequent.
   grain: one row per such class
   in: see verification/offence
   out: see verification/offence #}
{% extends 'verification/offence.sql' %}
{% block broken %}
MAX(s.{{ ('rows_with_named_value' ~ mark) | ident }}) > {{ model.bound | number }}
    * {% if promise.matching %}MAX(s.{{ ('people_in_class' ~ mark) | ident }})
    {%- else %}CAST(SUM(s.{{ ('rows_with_value' ~ mark) | ident }}) AS BIGINT){% endif +%}
{% endblock %}
