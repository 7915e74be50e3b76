{# The leaves of a hierarchy in their order.
   grain: one row per leaf
   in: table, levels
   out: (v0 …, place) #}
SELECT {{ range(levels) | each('p.v#,') }} p.place
FROM {{ table | ident }} AS p
ORDER BY p.place
