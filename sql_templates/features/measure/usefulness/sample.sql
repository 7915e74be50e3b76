{# Rows to fit a regression to: distinct ones with how often they occur, in an order that nothing
   but their content decides.
   grain: one row per distinct row, no more than a limit
   in: useful_rows, draw (0: of the source), binned (columns whose bins are taken), numbers (columns
       whose numbers are taken, 0 where there is none), known (the column of numbers that must have
       one, or none), limit
   out: (bins of the former, numbers of the latter, rows) #}
SELECT
    {{ binned | each('u.b#,') }} {{ numbers | each('u.z#,') }} u.n
FROM (
    SELECT
        {{ binned | each('t.b#,') }} {{ numbers | each('COALESCE(t.z#, 0) AS z#,') }}
        CAST(COUNT(*) AS BIGINT) AS n
    FROM useful_rows AS t
    WHERE t.draw = {{ draw | integer }}
    {% if known %}
        AND {{ known | sql('t.z# IS NOT NULL') }}
    {% endif %}
    GROUP BY
        {{ binned | listed('t.b#') }}{% if binned and numbers %},{% endif %}
        {{ numbers | listed('COALESCE(t.z#, 0)') }}
) AS u
ORDER BY MD5(
    {{ binned | each("CAST(u.b# AS VARCHAR) || ',' ||") }}
    {{ numbers | each("CAST(u.z# AS VARCHAR) || ',' ||") }} 'useful'
) NULLS FIRST
LIMIT {{ limit | integer }}
