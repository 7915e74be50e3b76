{# Traces that do not keep the promises about sensitive values.
   grain: one row
   in: trace_values, judged (the column indices that must be known in the source), what
       verification/keeping takes
   out: (traces that break a promise, traces with values that cannot be judged) #}
SELECT
    CAST(COALESCE(SUM(CASE WHEN t.ok THEN 0 ELSE 1 END), 0) AS BIGINT) AS broken,
    (
        SELECT COUNT(DISTINCT u.trace)
        FROM trace_values AS u
        WHERE {% for index in known %}u.x{{ index | integer }} = -1{% if not loop.last %} OR {% endif %}{%
            endfor %}{% if not known %}1 = 0{% endif +%}
    ) AS unknown
FROM (
    {% include 'verification/keeping.sql' %}
) AS t
