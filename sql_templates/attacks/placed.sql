{# The rows of the source by their class.
   grain: one row per class, combination of labelled values, and value of the secret
   in: judged_matches_<steps>, judged_cell_steps(id: of the combination with its secret), steps,
       facets (of labels: columns v<facet>), facet (of the secret)
   out: (class, number of the combination, value, rows) #}
SELECT
    m.tuple AS class,
    DENSE_RANK() OVER (ORDER BY {{ facets | listed('c.@ NULLS FIRST') }}) AS combination,
    c.v{{ facet | integer }} AS value, c.n
FROM judged_cell_steps AS c
LEFT JOIN judged_matches_{{ steps | integer }} AS m ON m.cell = c.p{{ steps | integer }}
ORDER BY class, combination, value
