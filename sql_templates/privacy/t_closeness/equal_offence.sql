{# Classes that are too far from the whole table by the equal distance: what must move is what some
   values have too much.
   grain: one row per such class
   in: see verification/offence
   out: see verification/offence #}
{% extends 'verification/offence.sql' %}
{% block broken %}
SUM(
    CASE
        WHEN s.{{ ('share' ~ mark) | ident }} > s.{{ ('table_share' ~ mark) | ident }}
        THEN s.{{ ('share' ~ mark) | ident }} - s.{{ ('table_share' ~ mark) | ident }}
        ELSE 0
    END
) > {{ (model.bound + promise.slack + promise.tolerance) | number }}
{% endblock %}
