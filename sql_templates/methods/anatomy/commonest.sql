{# grain: one row
   in: values_<index> of the sensitive column a
   out: (rows, those of the commonest value; NULL is a value like another) #}
SELECT CAST(SUM(v.n) AS BIGINT) AS total, MAX(v.n) AS most
FROM values_# AS v
