-- name: distinct_kept
{# At least l values of the column.
   in: model, promise; see privacy/counts for what it is over
   out: a condition #}
COUNT(DISTINCT f.{{ ('x' ~ model.index) | ident }}) >= {{ model.bound | number }}

-- name: distinct_offence
{# Classes of fewer than l values. NULL is a value.
   grain: one row per such class
   in: see verification/offence
   out: see verification/offence #}
{% extends 'verification/offence.sql' %}
{% block broken %}
COUNT(*) < {{ model.bound | number }}
{% endblock %}

-- name: entropy_kept
{# An entropy of at least ln l.
   in: model, promise; see privacy/shares for what it is over
   out: a condition #}
LN(MAX(d.own_total)) - SUM(d.own_amount * LN(d.own_amount))
    / MAX(d.own_total) >= {{ (model.log - promise.tolerance) | number }}

-- name: entropy_offence
{# Classes whose entropy is below ln l.
   grain: one row per such class
   in: see verification/offence
   out: see verification/offence #}
{% extends 'verification/offence.sql' %}
{% block broken %}
-SUM(s.{{ ('share' ~ mark) | ident }} * LN(s.{{ ('share' ~ mark) | ident }}))
    < {{ (model.log - promise.tolerance) | number }}
{% endblock %}

-- name: range_kept
{# The least and the greatest value lie far enough apart, as a share of the column's range.
   in: model, promise; see privacy/ranges for what it is over
   out: a condition #}
COALESCE(
    MAX(v.x) - MIN(v.x) >= {{ (model.bound * (1 - promise.tolerance)) | number }} * MAX(v.width),
    FALSE
)

-- name: range_offence
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

-- name: recursive_kept
{# Fewer rows have the commonest value than c times those from the l-th commonest on.
   in: model, promise; see privacy/shares for what it is over
   out: a condition #}
MAX(d.n) < {{ model.other | number }}
    * CAST(COALESCE(SUM(CASE WHEN d.own_place >= {{ model.bound | number }} THEN d.n END),
    0) AS BIGINT)

-- name: span_kept
{# The least and the greatest value lie far enough apart.
   in: model, promise; see privacy/ranges for what it is over
   out: a condition #}
COALESCE(
    MAX(v.x) - MIN(v.x) >= {{ (model.bound * (1 - promise.tolerance)) | number }},
    FALSE
)

-- name: span_offence
{# Classes whose least and greatest value lie too near each other, or that have none.
   grain: one row per such class
   in: see verification/offence
   out: see verification/offence #}
{% extends 'verification/offence.sql' %}
{% block broken %}
COUNT(s.{{ ('x' ~ mark) | ident }}) = 0
OR MAX(s.{{ ('x' ~ mark) | ident }}) - MIN(s.{{ ('x' ~ mark) | ident }})
    < {{ (model.bound * (1 - promise.tolerance)) | number }}
{% endblock %}
