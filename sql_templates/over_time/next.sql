{# The rows of the ledger after the coming release: rows of one trace that are released in one class
   now, or absent now, have one trace again.
   grain: one row per row that was ever released, or is now
   in: places, ledger_rows, coded, hashed_<index>
   out: table ledger_next(h, trace, released, y1 …) #}
CREATE TABLE ledger_next AS
SELECT
    p.h, n.number AS trace, p.part <> 0 AS released{% for a in coded %},
    CASE WHEN p.part <> 0 THEN g#.y ELSE l.y{{ loop.index | integer }} END
        AS y{{ loop.index | integer }}{% endfor +%}
FROM places AS p
JOIN (
    SELECT q.trace, q.part,
        CAST(ROW_NUMBER() OVER (ORDER BY q.trace, q.part) AS BIGINT) AS number
    FROM (SELECT DISTINCT u.trace, u.part FROM places AS u) AS q
) AS n ON n.trace = p.trace AND n.part = p.part
LEFT JOIN ledger_rows AS l ON l.h = p.h
{% for a in coded %}
LEFT JOIN {{ ('hashed_' ~ a.index) | ident }} AS g# ON g#.code = p.x#
{% endfor %}
