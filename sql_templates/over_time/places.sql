{# Where every row stands that was released before, or is now: in which part of its trace, 0 where
   it is absent.
   grain: one row per row
   in: traced, held, remembered, coded
   out: table places(h, trace, part, x<index>: codes of a row that is released now) #}
CREATE TABLE places AS
SELECT t.h, t.trace, CASE WHEN x.h IS NULL THEN t.part ELSE 0 END AS part{{
    coded | each(', t.x#', '') }}
FROM traced AS t
LEFT JOIN held AS x ON x.h = t.h
WHERE t.trace <> 0 OR x.h IS NULL
UNION ALL
SELECT r.h, r.trace, 0 AS part{{ coded | each(', r.x#', '') }}
FROM remembered AS r
LEFT JOIN traced AS t ON t.h = r.h
WHERE t.h IS NULL
