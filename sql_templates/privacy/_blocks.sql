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
