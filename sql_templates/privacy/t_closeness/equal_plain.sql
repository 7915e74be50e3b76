{# Classes that are too far from the whole table by the equal distance.
   grain: one row per such class
   in: see verification/plain_sql/by_shares
   out: see verification/plain_sql/by_shares #}
{% extends 'verification/plain_sql/by_shares.sql' %}
{% block broken %}
SUM(
    CASE
        WHEN s.{{ ('share' ~ mark) | ident }} > s.{{ ('table_share' ~ mark) | ident }}
        THEN s.{{ ('share' ~ mark) | ident }} - s.{{ ('table_share' ~ mark) | ident }}
        ELSE 0
    END
) > {{ (model.bound + slack + tolerance) | number }}
{% endblock %}
