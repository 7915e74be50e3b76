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

-- name: counted
{# The values of a column and how many rows have each: all of them, which t-closeness is measured
   against, or those of rows alone where the column is withheld or sensitive.
   grain: one row per value; NULL is a value like another
   in: table (s<index>, w<of>), index (of the column), of (the index of the attribute whose mark w
       says where the column counts, or 0), into
   out: table <into>(q<index>, n) #}
CREATE TABLE {{ into | ident }} AS
{{ index | sql('SELECT t.s# AS q#, CAST(COUNT(*) AS BIGINT) AS n') }}
FROM {{ table | ident }} AS t
{% if of %}
WHERE t.w{{ of | integer }} = 1
{% endif %}
GROUP BY t.s{{ index | integer }}

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
