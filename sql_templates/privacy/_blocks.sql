-- name: unnamed
{# grain: one row
   in: a (coded column with named values), values_<index>
   out: how many of the values that are named the table has #}
SELECT COUNT(*) AS found
FROM {{ ('values_' ~ a.index) | ident }} AS v
WHERE v.named

-- name: unordered
{# grain: one row
   in: a (coded column with an order), values_<index>
   out: how many of its values the order lacks #}
SELECT COUNT(*) AS missing
FROM {{ ('values_' ~ a.index) | ident }} AS v
WHERE v.place IS NULL

-- name: different
{# grain: one row
   in: index (of a coded column), values_<index>
   out: (how many different values it has, whether one of these is NULL: 1, otherwise 0) #}
SELECT COUNT(*) AS found, COALESCE(MAX(CASE WHEN v.code = 0 THEN 1 ELSE 0 END), 0) AS nulls
FROM {{ ('values_' ~ index) | ident }} AS v
