{# The classes of a release in people, where the column that tells them apart is released. Masked
   rows are no class, NULLs are one person.
   grain: one row
   in: table, labels (quasi-identifying columns), arrays, bounds (of them), masks (whether all-*
       rows are masked ones), people (as star/value takes it), at_risk (the greatest number of
       people in a class that counts as at risk)
   out: (people, counted in every class that has them; classes; people of the smallest; people at
       risk) #}
SELECT
    CAST(COALESCE(SUM(g.people), 0) AS BIGINT) AS people,
    COUNT(*) AS classes,
    COALESCE(MIN(g.people), 0) AS least,
    CAST(COALESCE(SUM(g.people) FILTER (WHERE g.people <= {{ at_risk | integer }}), 0) AS BIGINT)
        AS at_risk
FROM (
    SELECT
        COUNT(DISTINCT {{ people | value('r') }})
        + MAX(CASE WHEN r.{{ people.name | ident }} IS NULL THEN 1 ELSE 0 END) AS people
    FROM {{ table | ident }} AS r
    {% if masks %}
    WHERE NOT ({{ labels | each("COALESCE(r.@, '') = '*'", ' AND ') }})
    {% endif %}
    GROUP BY
        {{ (labels + bounds) | idents('r') }}
        {% if not arrays %}
        {{ labels | each(', r.@ COLLATE "C"') }}
        {% endif %}
) AS g
