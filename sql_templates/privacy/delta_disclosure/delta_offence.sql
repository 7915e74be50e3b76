{# Classes that lack a value, or have one that the whole table lacks, or in which one is much more
   or less frequent than there.
   grain: one row per such class
   in: see verification/offence
   out: see verification/offence #}
{% extends 'verification/offence.sql' %}
{% block broken %}
COUNT(*) < MAX(s.{{ ('table_values' ~ mark) | ident }})
OR MIN(s.{{ ('table_share' ~ mark) | ident }}) + {{ promise.slack | number }} <= 0
OR MAX(
    LN(s.{{ ('share' ~ mark) | ident }})
    - LN(NULLIF({{ (1 - promise.slack) | number }} * s.{{ ('table_share' ~ mark) | ident }}
        + {{ promise.slack | number }}, 0))
) >= {{ (model.bound - promise.tolerance) | number }}
OR MIN(
    LN(s.{{ ('share' ~ mark) | ident }})
    - LN(NULLIF({{ (1 - promise.slack) | number }} * s.{{ ('table_share' ~ mark) | ident }}, 0))
) <= {{ (promise.tolerance - model.bound) | number }}
{% endblock %}
