{# How far a column and others tell each other, value by value, in the first rows that the engine
   delivers. Values are compared as texts, NULL as an empty one.
   grain: one row per other column, in order
   in: relation, first (name of a column), others (names), most (rows)
   out: (position, rows, rows of the other column's commonest value, rows whose value of the first
       stands in two rows or more, how many of these have the value of the other that most rows with
       their value of the first have; the same three the other way round) #}
{% for other in others %}
SELECT
    {{ loop.index | integer }} AS position,
    CAST(SUM(g.n) AS BIGINT) AS own_rows,
    CAST(MAX(g.of_b) AS BIGINT) AS commonest_b,
    COALESCE(CAST(SUM(CASE WHEN g.of_a > 1 THEN g.n END) AS BIGINT), 0) AS repeated_a,
    COALESCE(CAST(SUM(CASE WHEN g.of_a > 1 AND g.place_a = 1 THEN g.n END) AS BIGINT), 0)
        AS told_b,
    CAST(MAX(g.of_a) AS BIGINT) AS commonest_a,
    COALESCE(CAST(SUM(CASE WHEN g.of_b > 1 THEN g.n END) AS BIGINT), 0) AS repeated_b,
    COALESCE(CAST(SUM(CASE WHEN g.of_b > 1 AND g.place_b = 1 THEN g.n END) AS BIGINT), 0)
        AS told_a
FROM (
    SELECT
        p.n,
        SUM(p.n) OVER (PARTITION BY p.a) AS of_a,
        SUM(p.n) OVER (PARTITION BY p.b) AS of_b,
        ROW_NUMBER() OVER (PARTITION BY p.a ORDER BY p.n DESC NULLS LAST) AS place_a,
        ROW_NUMBER() OVER (PARTITION BY p.b ORDER BY p.n DESC NULLS LAST) AS place_b
    FROM (
        SELECT s.a, s.b, COUNT(*) AS n
        FROM (
            SELECT
                COALESCE(CAST(t.{{ first | ident }} AS VARCHAR), '') AS a,
                COALESCE(CAST(t.{{ other | ident }} AS VARCHAR), '') AS b
            FROM {{ relation | ident }} AS t
            LIMIT {{ most | integer }}
        ) AS s
        GROUP BY s.a, s.b
    ) AS p
) AS g
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
ORDER BY position
