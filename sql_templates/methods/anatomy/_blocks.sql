-- name: commonest
{# grain: one row
   in: values_<index> of the sensitive column a
   out: (rows, those of the commonest value; NULL is a value like another) #}
SELECT CAST(SUM(v.n) AS BIGINT) AS total, MAX(v.n) AS most
FROM values_# AS v

-- name: commonest_value
{# grain: one row
   in: values_<index> of the sensitive column a
   out: the commonest value, for those who may see it #}
SELECT {{ a | text('v', 'value') }} AS value
FROM values_# AS v
ORDER BY v.n DESC NULLS LAST, v.code NULLS FIRST
LIMIT 1
