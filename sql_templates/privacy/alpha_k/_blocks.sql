-- name: alpha_kept
{# No value that the model is about is more frequent than alpha.
   in: model, promise; see privacy/shares for what it is over
   out: a condition #}
COALESCE(MAX(CASE WHEN d.own_named THEN d.n END), 0) <= {{ model.bound | number }}
    * {% if promise.matching %}MAX(d.own_people){% else %}CAST(SUM(d.n) AS BIGINT){% endif +%}

-- name: alpha_offence
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
