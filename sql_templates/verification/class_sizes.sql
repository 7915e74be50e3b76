{# How many classes a release has of each size, counted on the release alone. Rows with * in every
   quasi-identifying column are masked (suppressed) and are no class, unless that is how the release
   generalizes.
   grain: one row per size
   in: released table, labels (quasi-identifying columns), bounds (of them), masks (whether all-* rows
       are masked ones)
   out: (size, classes) #}
SELECT g.size, COUNT(*) AS classes
FROM (
    SELECT COUNT(*) AS size
    FROM {{ table | ident }} AS r
    {% if masks %}
    WHERE NOT ({{ labels | each("COALESCE(r.@, '') = '*'", ' AND ') }})
    {% endif %}
    GROUP BY
        {{ (labels + bounds) | idents('r') }}
        {{ labels | each(', r.@ COLLATE "C"') }}
) AS g
GROUP BY g.size
ORDER BY g.size
