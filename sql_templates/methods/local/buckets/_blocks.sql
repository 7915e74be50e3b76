-- name: broken
{# Which numbers of buckets are too many: some bucket does not keep what is promised of the column.
   grain: one row per number of buckets that is
   in: dealt_<index>(buckets, bucket, x<index>, n: cells of the value in the bucket), keys (buckets,
       bucket), promise, values_<index>
   out: (buckets) #}
SELECT DISTINCT k.buckets
FROM (
    {% include 'privacy/classes.sql' +%}
) AS k
WHERE NOT k.ok

-- name: counts
{# How many withheld cells each value of a column has, values in their order: the one that a model
   needs, else their own.
   grain: one row per value
   in: a (coded column), values_<index>, withheld_<index>
   out: (code, n) #}
SELECT v.code, o.n
FROM withheld_# AS o
LEFT JOIN values_# AS u ON u.value = o.q#
JOIN values_# AS v ON v.code = COALESCE(u.code, 0)
ORDER BY {% if a.ordered %}v.place, {% endif %}v.code

-- name: numbered
{# in: local_rows
   out: table numbered_rows(what local_rows has, own_row: a number) #}
CREATE TABLE numbered_rows AS
SELECT r.*, ROW_NUMBER() OVER () AS own_row
FROM local_rows AS r
