{# grain: one row
   in: table (verdicts on the classes of the source and the population, see privacy/classes)
   out: how many of them have no rows in the release, for they have none at all or do not keep the
       promise #}
SELECT COUNT(*) AS absent
FROM {{ table | ident }} AS k
WHERE NOT k.ok
