{# The release as one query: all rows of its classes, or no row where there are problems. Rows of a
   class are counted by a window: a join of classes is planned badly where nothing tells how many
   there are.
   grain: one row per released row, sorted
   in: released (relation: the released columns), problems; names, labels (the
       columns that are a class), k, size (a free name), sorted (the columns that rows are sorted by, see
       release/macros)
   out: the released columns #}
{% from 'release/macros.sql' import keys %}
SELECT {{ names | idents('r') }}
FROM (
    SELECT
        {{ names | idents('o') }},
        COUNT(*) OVER (PARTITION BY {{ labels | idents('o') }}) AS {{ size | ident }}
    FROM released AS o
) AS r
WHERE r.{{ size | ident }} >= {{ k | integer }}
    AND NOT EXISTS (SELECT 1 FROM problems AS p)
ORDER BY {{ keys(sorted) }}
