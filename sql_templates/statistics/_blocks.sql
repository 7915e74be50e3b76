-- name: cells
{# The cells of all tables with their numbers, in the order of levels and groups.
   grain: one row per cell
   in: counted (a table), attributes
   out: table cells(cell: from 0, and the columns of counted) #}
CREATE TABLE cells AS
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY t.v NULLS FIRST, {{ attributes | listed('t.c# NULLS FIRST') }}) - 1 AS BIGINT) AS cell,
    t.*
FROM {{ counted | ident }} AS t

-- name: changes
{# What values were changed to.
   grain: one row per cell, in the order of their numbers
   in: changed, columns
   out: the columns #}
SELECT {{ columns | listed('CAST(t.@ AS BIGINT) AS @') }}
FROM changed AS t
ORDER BY t.cell

-- name: group_counts
{# How many groups a dimension has at every level below the top.
   grain: one row per attribute and level
   in: groups
   out: a SELECT of (attribute, level, groups) #}
SELECT t.attribute, t.level, CAST(COUNT(*) AS BIGINT) AS n
FROM groups AS t
GROUP BY t.attribute, t.level

-- name: kept
{# The cells that are published of those that were counted, with new numbers.
   grain: one row per cell
   in: all_cells, kept (cell, number), attributes
   out: table cells(cell: the number, v, c<index>) #}
CREATE TABLE cells AS
SELECT k.number AS cell, {{ attributes | each('t.c#,') }} t.v
FROM all_cells AS t
JOIN kept AS k ON k.cell = t.cell

-- name: label
{# The label of a cell in one dimension.
   grain: one row
   in: cells, vector_levels (v, l<index>: the level), groups, attribute, cell (its number)
   out: label #}
SELECT g.label
FROM cells AS t
JOIN vector_levels AS w ON w.v = t.v
JOIN groups AS g ON g.attribute = {{ attribute.index | integer }}
    AND {{ attribute | sql('g.level = w.l# AND g.code = t.c#') }}
WHERE t.cell = {{ cell | integer }}

-- name: labels
{# The labels of a dimension that a table has, below the top.
   grain: one row per level and label
   in: groups, attribute, finest (the table's finest level)
   out: level, label #}
SELECT g.level, g.label
FROM groups AS g
WHERE g.attribute = {{ attribute.index | integer }} AND g.level >= {{ finest | integer }}
ORDER BY g.level, g.label

-- name: numbers
{# What is counted of every cell.
   grain: one row per cell, in the order of their numbers
   in: cells, columns, named (whether cells of one person have e)
   out: the columns, and where cells are named the number of the only person of a cell: 0 where it has
       several #}
SELECT
    {{ columns | listed('CAST(t.@ AS BIGINT) AS @') }}
    {% if named %}
    , CAST(CASE WHEN t.e IS NULL THEN 0 ELSE DENSE_RANK() OVER (ORDER BY t.e NULLS FIRST) END AS BIGINT) AS who
    {% endif %}
FROM cells AS t
ORDER BY t.cell

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
