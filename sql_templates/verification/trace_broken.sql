{# Traces that do not keep the promises about sensitive values, and traces with a value that the
   source has not any more, of which that cannot be told.
   grain: one row
   in: trace_values, known (the coded columns, by index, whose values must be the source's), and
       what verification/keeping takes
   out: (the former, the latter) #}
SELECT
    CAST(COALESCE(SUM(CASE WHEN t.ok THEN 0 ELSE 1 END), 0) AS BIGINT) AS broken,
    (
        SELECT COUNT(DISTINCT u.trace)
        FROM trace_values AS u
        WHERE {{ known | each('u.x# = -1', ' OR ') }}
    ) AS unknown
FROM (
    {% include 'verification/keeping.sql' %}
) AS t
