{# Classes that lack a value, or in which one is much more or less frequent
   than in the whole table.
   grain: one row per such class
   in: see verification/plain_sql/by_shares
   out: see verification/plain_sql/by_shares #}
{% extends 'verification/plain_sql/by_shares.sql' %}
{% block broken %}
COUNT(*) < (
    SELECT COUNT(*)
    FROM (
        SELECT a.{{ column | ident }}
        FROM {{ table | ident }} AS a
        GROUP BY a.{{ column | ident }}
    ) AS w
)
OR MAX(
    LN(s.{{ ('share' ~ mark) | ident }})
    - LN({{ (1 - slack) | number }} * s.{{ ('table_share' ~ mark) | ident }}
        + {{ slack | number }})
) >= {{ (model.bound - tolerance) | number }}
OR MIN(
    LN(s.{{ ('share' ~ mark) | ident }})
    - LN({{ (1 - slack) | number }} * s.{{ ('table_share' ~ mark) | ident }})
) <= {{ (tolerance - model.bound) | number }}
{% endblock %}
