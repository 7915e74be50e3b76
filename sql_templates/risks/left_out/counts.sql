{# How many rows of the source have each value that a suppressed row has, and how many of those are
   suppressed. A quasi-identifying value is told by its label at the least level.
   grain: one row per column and value of a suppressed row, NULL being a value like another
   in: source, left_out_rows (see risks/left_out/of_levels), attributes, dim_<index>, kept
   out: table left_out_counts(number: index of the column, value, n, lost) #}
CREATE TABLE left_out_counts AS
{% for a in attributes %}
SELECT # AS number, CAST(b.v{{ a.min_level | integer }} AS VARCHAR) AS value, g.n, g.lost
FROM (
    SELECT x.code, CAST(SUM(x.n) AS BIGINT) AS n, CAST(SUM(x.lost) AS BIGINT) AS lost
    FROM (
        SELECT COALESCE(d#.g{{ a.min_level | integer }}, 0) AS code, COUNT(*) AS n, 0 AS lost
        FROM {{ source | ident }} AS s
        LEFT JOIN dim_# AS d# ON d#.value = {{ a | value('s') }}
        GROUP BY COALESCE(d#.g{{ a.min_level | integer }}, 0)
        UNION ALL
        SELECT l.c# AS code, 0 AS n, COUNT(*) AS lost
        FROM left_out_rows AS l
        GROUP BY l.c#
    ) AS x
    GROUP BY x.code
) AS g
LEFT JOIN dim_# AS b ON b.code = g.code
WHERE g.lost > 0
{% if kept or not loop.last %}UNION ALL{% endif +%}
{% endfor %}
{% for a in kept %}
SELECT # AS number, CAST(g.v AS VARCHAR) AS value, g.n, g.lost
FROM (
    SELECT x.v, CAST(SUM(x.n) AS BIGINT) AS n, CAST(SUM(x.lost) AS BIGINT) AS lost
    FROM (
        SELECT {{ a | value('s') }} AS v, COUNT(*) AS n, 0 AS lost
        FROM {{ source | ident }} AS s
        GROUP BY {{ a | value('s') }}
        UNION ALL
        SELECT l.v# AS v, 0 AS n, COUNT(*) AS lost
        FROM left_out_rows AS l
        GROUP BY l.v#
    ) AS x
    GROUP BY x.v
) AS g
WHERE g.lost > 0
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
