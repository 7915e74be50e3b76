{# The combinations of tokens and of stretches of kept values, numbered from 1 in order.
   grain: one row per combination
   in: labeled, divided (completed columns), completed_rows
   out: table completed_combinations(combination, rows_there, t<index>, b<index>) #}
CREATE TABLE completed_combinations AS
SELECT
    ROW_NUMBER() OVER (
        ORDER BY {{ labeled | each('s.t# NULLS FIRST', ', ') }}{{ divided | each(', s.b# NULLS FIRST') }}
    ) AS combination,
    s.*
FROM (
    SELECT
        {{ labeled | each('o.t#,') }}
        {{ divided | each('o.b#,') }}
        COUNT(*) AS rows_there
    FROM completed_rows AS o
    GROUP BY {{ labeled | each('o.t#', ', ') }}{{ divided | each(', o.b#') }}
) AS s
