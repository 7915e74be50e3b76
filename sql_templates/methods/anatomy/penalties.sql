{# What would be lost if every row had the values of its whole group, as a set: (distinct values of
   the group - 1) / (distinct values of the table - 1), summed over rows.
   grain: one row
   in: separated, attributes, group (the position of the group's number)
   out: that sum for each attribute #}
SELECT
    {{ attributes | listed(
        'COALESCE(CAST(SUM(g.n * (g.v# - 1)) AS DOUBLE) / NULLIF(MAX(w.v#) - 1, 0), 0) AS lost#'
    ) }}
FROM (
    SELECT
        {{ attributes | each('COUNT(DISTINCT t.c#) AS v#,') }}
        COUNT(*) AS n
    FROM separated AS t
    GROUP BY t.r{{ group | integer }}
) AS g
CROSS JOIN (
    SELECT {{ attributes | listed('COUNT(DISTINCT t.c#) AS v#') }} FROM separated AS t
) AS w
