{# Rows that are released as a window that does not hold them.
   grain: one row
   in: assigned, matches, attributes, first and last (the numbers of the windows that matches are
       of)
   out: how many kinds of them #}
SELECT COUNT(*) AS wrong
FROM assigned AS p
LEFT JOIN (SELECT DISTINCT m.grp{{ attributes | each(', m.c#') }} FROM matches AS m) AS m
    ON m.grp = p.grp{{ attributes | each(' AND m.c# = p.c#') }}
WHERE m.grp IS NULL AND p.grp BETWEEN {{ first | integer }} AND {{ last | integer }}
