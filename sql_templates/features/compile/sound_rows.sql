{# The release as one query: all of it, or no row where there are problems.
   grain: one row per released row, in random order
   in: released (relation: the released columns and their ordering), problems; names, ordering
   out: the released columns #}
SELECT {{ names | idents('r') }}
FROM released AS r
WHERE NOT EXISTS (SELECT 1 FROM problems AS p)
ORDER BY r.{{ ordering | ident }}
