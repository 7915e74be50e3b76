{# Two levels: the value, or *.
   grain: one row per distinct non-NULL source value
   in: combinations, a (attribute)
   out: a SELECT of (value, v0, v1, lo0 …, hi0 …) #}
SELECT DISTINCT
    t.q# AS value
    , {{ a | text('t', 'q' ~ a.index) }} AS v0
    , '*' AS v1
{% if a.bounds_type %}
    , CAST(t.q# AS {{ a.bounds_type | sql_type }}) AS lo0
    , CAST(t.q# AS {{ a.bounds_type | sql_type }}) AS hi0
    , CAST(NULL AS {{ a.bounds_type | sql_type }}) AS lo1
    , CAST(NULL AS {{ a.bounds_type | sql_type }}) AS hi1
{% endif %}
FROM combinations AS t
WHERE t.q# IS NOT NULL
