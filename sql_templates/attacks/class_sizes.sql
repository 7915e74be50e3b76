{# The classes of a release: rows with equal labels.
   grain: one row
   in: attacked_release, facets (of labels: columns v<facet>), k
   out: (rows, classes, rows of the smallest, rows in classes of fewer than k) #}
SELECT
    CAST(COALESCE(SUM(c.n), 0) AS BIGINT) AS total,
    COUNT(*) AS classes,
    CAST(COALESCE(MIN(c.n), 0) AS BIGINT) AS least,
    CAST(COALESCE(SUM(CASE WHEN c.n < {{ k | integer }} THEN c.n END), 0) AS BIGINT) AS below
FROM (
    SELECT SUM(t.n) AS n FROM attacked_release AS t GROUP BY {{ facets | idents('t') }}
) AS c
