{# How often the codes and the values of a sensitive column do not correspond one to one: a code of
   several values, a value of several codes, NULL with another code than 0, or the code 0 for
   another value.
   grain: one row
   in: a (coded column), values_<index>
   out: the number of such codes and values #}
SELECT COUNT(*) AS wrong
FROM (
    SELECT w.code FROM values_# AS w GROUP BY w.code HAVING COUNT(*) > 1
    UNION ALL
    SELECT MIN(w.code) FROM values_# AS w GROUP BY w.value HAVING COUNT(*) > 1
    UNION ALL
    SELECT w.code FROM values_# AS w WHERE (w.code = 0) <> (w.value IS NULL)
) AS c
