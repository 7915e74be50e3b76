{# Codes of a sensitive column that do not stand for one value each, 0 for NULL.
   grain: one row
   in: a (coded column), values_<index>
   out: how many codes and values #}
SELECT COUNT(*) AS wrong
FROM (
    SELECT w.code FROM values_# AS w GROUP BY w.code HAVING COUNT(*) > 1
    UNION ALL
    SELECT MIN(w.code) FROM values_# AS w GROUP BY w.value HAVING COUNT(*) > 1
    UNION ALL
    SELECT w.code FROM values_# AS w WHERE (w.code = 0) <> (w.value IS NULL)
) AS c
