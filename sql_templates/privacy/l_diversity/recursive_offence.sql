{# Classes whose commonest value is too frequent for the others.
   grain: one row per such class
   in: see verification/offence
   out: see verification/offence #}
{% extends 'verification/offence.sql' %}
{% block broken %}
MAX(s.{{ ('rows_with_value' ~ mark) | ident }}) >= {{ model.other | number }} * CAST(SUM(
    CASE
        WHEN s.{{ ('place' ~ mark) | ident }} >= {{ model.bound | number }}
        THEN s.{{ ('rows_with_value' ~ mark) | ident }}
        ELSE 0
    END
) AS BIGINT)
{% endblock %}
