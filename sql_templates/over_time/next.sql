{# The rows of the ledger after the coming release: rows of one trace that are released in one class
   now, or absent now, have one trace again. A row that is absent keeps the values that it was
   released with.
   grain: one row per row that was ever released, or is now
   in: placed (a table: h, r, trace, part, x<index>), missing, coded; remembered and hashed_<index>
       where there are such
   out: table ledger_next(h, trace, released, y1 …) #}
CREATE TABLE ledger_next AS
WITH standing AS (
    SELECT p.h, p.r, {{ coded | each('p.x#,') }} p.trace, p.part
    FROM {{ placed | ident }} AS p
    WHERE p.trace <> 0 OR p.part <> 0
    UNION ALL
    SELECT m.h, m.r, {{ coded | each('m.x#,') }} m.trace, 0 AS part
    FROM missing AS m
)
SELECT
    s.h, n.number AS trace, s.part <> 0 AS released
    {% for a in coded %}
    , CASE WHEN s.part <> 0 THEN g#.y ELSE r.{{ ('y' ~ loop.index) | ident }} END
        AS {{ ('y' ~ loop.index) | ident }}
    {% endfor %}
FROM standing AS s
JOIN (
    SELECT q.trace, q.part,
        CAST(ROW_NUMBER() OVER (
            ORDER BY q.trace NULLS FIRST, q.part NULLS FIRST
        ) AS BIGINT) AS number
    FROM (SELECT DISTINCT u.trace, u.part FROM standing AS u) AS q
) AS n ON n.trace = s.trace AND n.part = s.part
{% if coded %}
LEFT JOIN remembered AS r ON r.r = s.r
{% endif %}
{% for a in coded %}
LEFT JOIN {{ ('hashed_' ~ a.index) | ident }} AS g# ON g#.code = s.x#
{% endfor %}
