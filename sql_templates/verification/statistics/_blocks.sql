-- name: audited_numbers
{# Numbers of the audited cells.
   grain: one row per cell, in the order of their numbers
   in: audited, columns, named (whether cells of one person have e)
   out: the columns, and where cells are named the number of the only person of a cell: 0 where it has
       several #}
SELECT
    {{ columns | listed('CAST(t.@ AS BIGINT) AS @') }}
    {% if named %}
    , CAST(CASE WHEN t.e IS NULL THEN 0 ELSE DENSE_RANK() OVER (ORDER BY t.e NULLS FIRST) END AS BIGINT) AS who
    {% endif %}
FROM audited AS t
ORDER BY t.cell

-- name: matched
{# Cells that were counted anew, as far as a published table has them.
   grain: one row per cell
   in: recounted, shown (tables), attributes (all), name
   out: the table `name` (the columns of recounted) #}
CREATE TABLE {{ name | ident }} AS
SELECT r.*
FROM {{ recounted | ident }} AS r
JOIN {{ shown | ident }} AS s
    ON {{ attributes | each('s.l# = r.l# AND s.k# = r.k#', ' AND ') }}

-- name: several
{# Who is in several combinations of labels, and who has several rows.
   grain: one row
   in: labelled
   out: the combinations of people and labels, the people in them, and the rows of the source #}
SELECT
    CAST(COUNT(*) AS BIGINT) AS total,
    CAST(COUNT(DISTINCT t.e) AS BIGINT) AS people,
    CAST(SUM(t.n) AS BIGINT) AS n
FROM labelled AS t

-- name: together
{# Cells that were counted in portions, as one table: engines allow a few hundred terms of a UNION.
   grain: one row per cell
   in: portions (tables), name
   out: the table #}
CREATE TABLE {{ name | ident }} AS
{% for portion in portions %}
SELECT t.* FROM {{ portion | ident }} AS t
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
