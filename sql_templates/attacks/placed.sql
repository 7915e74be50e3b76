{# The rows of the source by their class.
   grain: one row per class, combination of labelled values, and value of the secret
   in: judged_matches_<steps>, judged_cell_steps(id: of the combination with its secret), steps,
       facets (of labels: columns v<facet>), facet (of the secret, or none)
   out: (class, rows, value, the combination) #}
SELECT
    m.tuple AS class, c.n,
    {% if facet %}
    c.v{{ facet | integer }}
    {% else %}
    0
    {% endif %}
        AS value,
    {{ facets | idents('c') }}
FROM judged_cell_steps AS c
LEFT JOIN judged_matches_{{ steps | integer }} AS m ON m.cell = c.p{{ steps | integer }}
ORDER BY class, value, c.id
