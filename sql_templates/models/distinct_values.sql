{# grain: one row
   in: values_<index> of the sensitive column a
   out: how many values it has; NULL is a value like another #}
SELECT CAST(COUNT(*) AS BIGINT) AS found
FROM values_{{ a.index | integer }} AS v
