{# How frequent values of a column are in a release as a whole: as all labels that may stand for them
   say, each evenly.
   grain: of meant one row per label and value; of frequent one per value
   in: attacked_release, covers_<facet>, facet
   out: meant(label, code, size: how many values the label may stand for, n: rows with the label)
       and frequent(code, n), for the WITH of a statement #}
meant AS (
    SELECT k.label, k.code, COUNT(*) OVER (PARTITION BY k.label) AS size, r.n
    FROM (SELECT DISTINCT c.label, c.code FROM covers_{{ facet | integer }} AS c) AS k
    JOIN (
        SELECT t.v{{ facet | integer }} AS label, SUM(t.n) AS n
        FROM attacked_release AS t
        GROUP BY t.v{{ facet | integer }}
    ) AS r ON r.label = k.label
),
frequent AS (
    SELECT m.code, SUM(CAST(m.n AS DOUBLE) / m.size) AS n
    FROM meant AS m
    GROUP BY m.code
)
