{# The release as one query: all rows of its classes, or no row where there are problems. Rows of a
   class are counted by a window: a join of classes is planned badly where nothing tells how many
   there are.
   grain: one row per released row, in random order
   in: released (relation: the released columns and their ordering), problems; names, labels (the
       columns that are a class), k, size (a free name), ordering
   out: the released columns #}
SELECT {{ names | idents('c') }}
FROM (
    SELECT
        {{ names | idents('r') }},
        r.{{ ordering | ident }},
        COUNT(*) OVER (PARTITION BY {{ labels | idents('r') }}) AS {{ size | ident }}
    FROM released AS r
) AS c
WHERE c.{{ size | ident }} >= {{ k | integer }}
    AND NOT EXISTS (SELECT 1 FROM problems AS p)
ORDER BY c.{{ ordering | ident }}
