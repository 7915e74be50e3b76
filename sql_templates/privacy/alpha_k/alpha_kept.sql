{# No value that the model is about is more frequent than alpha.
   in: model, promise; see privacy/shares for what it is over
   out: a condition #}
COALESCE(MAX(CASE WHEN d.own_named THEN d.n END), 0) <= {{ model.bound | number }}
    * {% if promise.matching %}MAX(d.own_people){% else %}CAST(SUM(d.n) AS BIGINT){% endif +%}
