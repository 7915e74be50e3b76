{# The verdict on many nodes at once. Classes smaller than k are suppressed and are no classes of the release.
   grain: one row per node
   in: table (node, c1 …, n), k
   out: (node, groups, smallest group, released classes, smallest released class, suppressed rows, sum of squared released class sizes) #}
SELECT
    f.node,
    COUNT(*) AS groups,
    MIN(f.n) AS smallest,
    COUNT(*) FILTER (WHERE f.n >= {{ k | integer }}) AS classes,
    COALESCE(MIN(f.n) FILTER (WHERE f.n >= {{ k | integer }}), 0) AS min_class,
    CAST(COALESCE(SUM(f.n) FILTER (WHERE f.n < {{ k | integer }}), 0) AS BIGINT) AS suppressed,
    CAST(COALESCE(SUM(f.n * f.n) FILTER (WHERE f.n >= {{ k | integer }}), 0) AS BIGINT) AS squares
FROM {{ table | ident }} AS f
GROUP BY f.node
ORDER BY f.node
