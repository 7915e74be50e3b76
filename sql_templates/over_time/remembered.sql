{# The ledger's rows with the codes that their values have now.
   grain: one row per row of the ledger
   in: ledger_rows(h, trace, released, y1 …), coded, hashed_<index>
   out: table remembered(h, trace, x<index>: 0 for NULL, -1 for a value that the source has not any
       more) #}
CREATE TABLE remembered AS
SELECT l.h, l.trace{% for a in coded %},
    CASE WHEN l.y{{ loop.index | integer }} IS NULL THEN 0 ELSE COALESCE(g#.code, -1) END
        AS x#{% endfor +%}
FROM ledger_rows AS l
{% for a in coded %}
LEFT JOIN {{ ('hashed_' ~ a.index) | ident }} AS g# ON g#.y = l.y{{ loop.index | integer }}
{% endfor %}
