{# Rows that are released as a window that does not hold them.
   grain: one row
   in: assigned, matches, attributes, first and last (the numbers of the windows that matches are
       of)
   out: how many kinds of them #}
SELECT COUNT(*) AS wrong
FROM assigned AS p
LEFT JOIN (SELECT DISTINCT m.grp{% for a in attributes %}, m.c{{ a.index | integer }}{% endfor
    %} FROM matches AS m) AS m
    ON m.grp = p.grp{% for a in attributes %} AND m.c{{ a.index | integer }} = p.c{{ a.index |
        integer }}{% endfor +%}
WHERE m.grp IS NULL AND p.grp BETWEEN {{ first | integer }} AND {{ last | integer }}
