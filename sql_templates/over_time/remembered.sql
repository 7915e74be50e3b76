{# The ledger's rows with the codes that their values have now.
   grain: one row per row of the ledger
   in: ledger_rows(h, trace, released, y1 …), coded, hashed_<index>
   out: table remembered(r: a number of the row, h, trace, y1 …, x<index>: the code, 0 for NULL, -1
       for a value that the source has not any more) #}
CREATE TABLE remembered AS
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY l.h NULLS FIRST) AS BIGINT) AS r,
    l.h, l.trace
    {% for a in coded %}
    , l.{{ ('y' ~ loop.index) | ident }}
    , CASE WHEN l.{{ ('y' ~ loop.index) | ident }} IS NULL THEN 0 ELSE COALESCE(g#.code, -1) END
        AS x#
    {% endfor %}
FROM ledger_rows AS l
{% for a in coded %}
LEFT JOIN {{ ('hashed_' ~ a.index) | ident }} AS g# ON g#.y = l.{{ ('y' ~ loop.index) | ident }}
{% endfor %}
