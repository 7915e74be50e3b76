{# The draws of a completed table.
   grain: one row per draw
   in: table
   out: (draw) #}
SELECT DISTINCT t.draw AS draw
FROM {{ table | ident }} AS t
ORDER BY draw
