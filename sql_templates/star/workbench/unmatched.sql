{# Values of the source that the dimension tables, which came from the workbench, do not have.
   grain: one row
   in: cells (the code of such a value is -2), attributes
   out: for each attribute the number of cells with such a value #}
SELECT {{ attributes | listed('COUNT(CASE WHEN t.c# = -2 THEN 1 END) AS n#') }}
FROM cells AS t
