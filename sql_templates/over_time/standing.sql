{# What would be released of every trace as things stand, and what would be absent (part 0), as a
   promise is judged by it. Rows that were never released are not absent when they are held back.
   grain: one row per trace, part and, where models ask for them, combination of values
   in: parts, absent, promise, coded; traced and drawn where the promise is about values
   out: table standing(trace, part, x<index>, n) #}
CREATE TABLE standing AS
SELECT s.trace, s.part{{ coded | each(', s.x#', '') }}, CAST(SUM(s.n) AS BIGINT) AS n
FROM (
{% if promise.plain %}
    SELECT p.trace, p.part, p.n - p.drawn AS n FROM parts AS p WHERE NOT p.out
    UNION ALL
    SELECT p.trace, 0 AS part, CASE WHEN p.out THEN p.n ELSE p.drawn END AS n
    FROM parts AS p
    WHERE p.trace <> 0 AND (p.out OR p.drawn > 0)
{% else %}
    SELECT
        t.trace,
        CASE WHEN p.out OR d.h IS NOT NULL THEN 0 ELSE t.part END AS part,
        {{ coded | each('t.x#,') }}
        CAST(COUNT(*) AS BIGINT) AS n
    FROM traced AS t
    JOIN parts AS p ON p.trace = t.trace AND p.part = t.part
    LEFT JOIN drawn AS d ON d.h = t.h
    WHERE t.trace <> 0 OR NOT p.out
    GROUP BY t.trace, CASE WHEN p.out OR d.h IS NOT NULL THEN 0 ELSE t.part END{{
        coded | each(', t.x#', '') }}
{% endif %}
    UNION ALL
    SELECT a.trace, 0 AS part{{ coded | each(', a.x#', '') }}, a.n FROM absent AS a
) AS s
GROUP BY s.trace, s.part{{ coded | each(', s.x#', '') }}
