{# The released rows of a table that are no rows of the source.
   grain: one row
   in: table (both_<number> or tree_<number>), numbered (by what: own, whole or tree), equal
       (whether all rows of the source are released)
   out: (released rows beyond those of the source that hold the same, and where all are released,
        the other way round) #}
SELECT CAST(COALESCE(SUM(ABS(d.more)), 0) AS BIGINT) AS beyond
FROM (
    SELECT COUNT(b.now) - COUNT(b.was) AS more
    FROM {{ table | ident }} AS b
    GROUP BY b.{{ numbered | ident }}
) AS d
WHERE d.more {% if equal %}<>{% else %}>{% endif %} 0
