-- name: domains
{# The values of each quasi-identifying column, which the workbench makes dimension tables of.
   grain: one row per attribute and distinct value
   in: combinations, attributes
   out: table domains(q1 … qn: one of them has a value, the others are NULL); the workbench has it
       as combinations #}
CREATE TABLE domains AS
SELECT {{ attributes | listed('t.q#') }}
FROM combinations AS t
GROUP BY GROUPING SETS ({{ attributes | listed('(t.q#)') }})

-- name: rows
{# grain: one row per row of a table
   in: table, columns
   out: its rows #}
SELECT {{ columns | listed('s.@') }} FROM {{ table | ident }} AS s

-- name: unmatched
{# Values of the source that the dimension tables, which came from the workbench, do not have.
   grain: one row
   in: cells (the code of such a value is -2), attributes
   out: for each attribute the number of cells with such a value #}
SELECT {{ attributes | listed('COUNT(CASE WHEN t.c# = -2 THEN 1 END) AS n#') }}
FROM cells AS t
