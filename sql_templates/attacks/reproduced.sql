{# The parts of a trial that are released as their class was: as one class, with its labels. Those are
   the labels that the class's own rows get, and a class of the published release has them.
   grain: one row per such part
   in: attacked_parts(part, truth: the part that has the class's own rows, n: rows), made and
       published (releases), part (the column that tells parts apart), labels (columns)
   out: (part) #}
WITH
made AS (
    SELECT CAST(r.{{ part | ident }} AS BIGINT) AS part, {{ labels | idents('r') }}, COUNT(*) AS n
    FROM {{ made | ident }} AS r
    GROUP BY r.{{ part | ident }}, {{ labels | idents('r') }}
),
classes AS (
    SELECT {{ labels | idents('r') }}, COUNT(*) AS n
    FROM {{ published | ident }} AS r
    GROUP BY {{ labels | idents('r') }}
)
SELECT s.part
FROM attacked_parts AS s
JOIN made AS m ON m.part = s.part AND m.n = s.n
JOIN made AS t ON t.part = s.truth AND t.n = s.n AND {{ labels | each('t.@ = m.@', ' AND ') }}
JOIN classes AS c ON c.n = s.n AND {{ labels | each('c.@ = t.@', ' AND ') }}
ORDER BY s.part
