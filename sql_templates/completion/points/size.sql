{# grain: one row
   in: table (see completion/points/leaves)
   out: how many leaves it has but NULL #}
SELECT COUNT(l.atom) AS leaves FROM {{ table | ident }} AS l
