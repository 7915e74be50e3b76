{# How many classes there are of each size. NULL is a value like another. With ``people``, the size
   of a class is its number of people, all NULLs being one.
   grain: one row per size, in order
   in: table, columns (as star/value takes them), people (the column that tells people apart, so
       too; or none), masked (label columns that are all * in rows that are in no class; none: all
       rows are)
   out: (size, classes) #}
SELECT g.size, COUNT(*) AS classes
FROM (
    SELECT
    {% if people %}
        COUNT(DISTINCT {{ people | value('s') }})
            + MAX(CASE WHEN s.{{ people.name | ident }} IS NULL THEN 1 ELSE 0 END) AS size
    {% else %}
        COUNT(*) AS size
    {% endif %}
    FROM {{ table | ident }} AS s
    {% if masked %}
    WHERE NOT ({{ masked | each("COALESCE(s.@, '') = '*'", ' AND ') }})
    {% endif %}
    {% if columns %}
    GROUP BY
        {{ columns | listed('@(s)') }}
    {% endif %}
) AS g
WHERE g.size > 0
GROUP BY g.size
ORDER BY g.size
