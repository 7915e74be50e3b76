{# Classes whose least and greatest value lie too near each other, as a share of the column's
   range, or that have none.
   grain: one row per such class
   in: see verification/offence
   out: see verification/offence #}
{% extends 'verification/offence.sql' %}
{% block broken %}
COUNT(s.{{ ('x' ~ mark) | ident }}) = 0
OR MAX(s.{{ ('x' ~ mark) | ident }}) - MIN(s.{{ ('x' ~ mark) | ident }})
    < {{ (model.bound * (1 - promise.tolerance)) | number }} * MAX(s.{{ ('width' ~ mark) | ident }})
{% endblock %}
