{# The values of each quasi-identifying column, which the workbench makes dimension tables of.
   grain: one row per attribute and distinct value
   in: combinations, attributes
   out: table domains(q1 … qn: one of them has a value, the others are NULL); the workbench has it
       as combinations #}
CREATE TABLE domains AS
SELECT {{ attributes | listed('t.q#') }}
FROM combinations AS t
GROUP BY GROUPING SETS ({{ attributes | listed('(t.q#)') }})
