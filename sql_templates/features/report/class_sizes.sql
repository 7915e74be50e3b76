{# How many classes of a release have how many rows. Rows with * in every quasi-identifying column
   are masked ones where a release has such, and are no class.
   grain: one row per size
   in: table (released rows), keys (columns that name a class), labels (those of them that are
       text), masks (whether rows with * in all of these are masked)
   out: (size, classes) #}
SELECT g.size, COUNT(*) AS classes
FROM (
    SELECT COUNT(*) AS size
    FROM {{ table | ident }} AS r
    {% if masks and labels %}
    WHERE NOT ({{ labels | each("COALESCE(r.@, '') = '*'", ' AND ') }})
    {% endif %}
    GROUP BY
        {{ keys | idents('r') }}
        {{ labels | each(', r.@ COLLATE "C"') }}
) AS g
GROUP BY g.size
ORDER BY g.size NULLS FIRST
