{# The rows of a release by their classes and the values that they kept.
   grain: one row per class and distinct kept values
   in: judged_rows(v<i>, y<j>, n), judged_tuples(id, v<i>), values (their columns v<i>), number (of
       the release), kept (numbers j of its kept values)
   out: table together_shown_<number>(class, y<j>, n) #}
CREATE TABLE together_shown_{{ number | integer }} AS
SELECT
    t.id AS class,
    {{ kept | each('r.y#,') }}
    CAST(SUM(r.n) AS BIGINT) AS n
FROM judged_rows AS r
JOIN judged_tuples AS t ON {{ values | each('t.@ = r.@', ' AND ') }}
GROUP BY t.id{% if kept %}, {{ kept | listed('r.y#') }}{% endif +%}
