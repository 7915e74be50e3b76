{# Classes whose commonest value is too frequent for the others.
   grain: one row per such class
   in: see verification/plain_sql/by_shares
   out: see verification/plain_sql/by_shares #}
{% extends 'verification/plain_sql/by_shares.sql' %}
{% block broken %}
MAX(s.{{ ('rows_with_value' ~ mark) | ident }}) >= {{ model.other | number }} * SUM(
    CASE
        WHEN s.{{ ('place' ~ mark) | ident }} >= {{ model.bound | number }}
        THEN s.{{ ('rows_with_value' ~ mark) | ident }}
        ELSE 0
    END
)
{% endblock %}
