{# Classes in which a value that the model is about is too frequent.
   grain: one row per such class
   in: see verification/plain_sql/by_shares; named (the values that it is about: none for all)
   out: see verification/plain_sql/by_shares #}
{% extends 'verification/plain_sql/by_shares.sql' %}
{% block broken %}
MAX(
    {% if named %}
    CASE
        WHEN CAST(s.{{ column | ident }} AS VARCHAR) IN ({{ named | literals }})
        THEN s.{{ ('rows_with_value' ~ mark) | ident }}
        ELSE 0
    END
    {% else %}
    s.{{ ('rows_with_value' ~ mark) | ident }}
    {% endif %}
) > {{ model.bound | number }} * SUM(s.{{ ('rows_with_value' ~ mark) | ident }})
{% endblock %}
