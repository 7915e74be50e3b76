{# Released values that go with none of the source's.
   grain: one row
   in: tuples and cells (tables with v<facet>), covers_<facet>, facet
   out: (such values, all values) #}
SELECT
    CAST(COUNT(CASE WHEN k.label IS NULL THEN 1 END) AS BIGINT) AS uncovering,
    CAST(COUNT(*) AS BIGINT) AS total
FROM (SELECT DISTINCT t.{{ ('v' ~ facet) | ident }} AS label FROM {{ tuples | ident }} AS t) AS t
LEFT JOIN (
    SELECT DISTINCT u.label
    FROM {{ ('covers_' ~ facet) | ident }} AS u
    JOIN (SELECT DISTINCT c.{{ ('v' ~ facet) | ident }} AS code FROM {{ cells | ident }} AS c) AS c
        ON c.code = u.code
) AS k ON k.label = t.label
