{# The classes of a table by the ranks of their values among all of their column, NULL last.
   grain: one row per class
   in: table, columns (as star/value takes them; one or more), masked (label columns that are all *
       in rows that are in no class; none: all rows are)
   out: (rank of the value from 0, by column; n: rows) #}
SELECT
    {{ columns | each(
        'DENSE_RANK() OVER (ORDER BY g.v$ NULLS LAST) - 1 AS r$,'
    ) }}
    g.n
FROM (
    SELECT {{ columns | each('@(s) AS v$,') }} COUNT(*) AS n
    FROM {{ table | ident }} AS s
    {% if masked %}
    WHERE NOT ({{ masked | each("COALESCE(s.@, '') = '*'", ' AND ') }})
    {% endif %}
    GROUP BY {{ columns | listed('@(s)') }}
) AS g
