{# Of each label of a column the values that it most likely stands for: values are as frequent as
   all labels that may stand for them say, each evenly.
   grain: one row per label and value
   in: attacked_release, covers_<facet>, facet
   out: table attacked_finer(label, code, size: how many values the label may stand for, part: how
       likely this one is taken of those that are as likely) #}
CREATE TABLE attacked_finer AS
WITH
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
SELECT p.label, p.code, p.size, CAST(1 AS DOUBLE) / COUNT(*) OVER (PARTITION BY p.label) AS part
FROM (
    SELECT m.label, m.code, m.size, f.n, MAX(f.n) OVER (PARTITION BY m.label) AS most
    FROM meant AS m
    JOIN frequent AS f ON f.code = m.code
) AS p
WHERE p.n >= p.most * (1 - 1e-9)
