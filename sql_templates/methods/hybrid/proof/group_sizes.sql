{# How the sizes of groups differ from those that they had before relocation, by Pearson's
   chi-squared statistic: the sum of (size - size before)² / size before. Groups that gave all their
   rows away count with a size of 0.
   grain: one row
   in: what verification/portion_rows takes
   out: (groups that there were before, the statistic, groups that there were not and now are,
       groups that were emptied) #}
WITH portions AS (
    {% include 'verification/portion_rows.sql' %}
),
compared AS (
    SELECT u.grp, SUM(u.n) AS n, SUM(u.before) AS before
    FROM (
        SELECT p.grp, p.n, 0 AS before FROM portions AS p
        UNION ALL
        SELECT p.home, 0, p.n FROM portions AS p
    ) AS u
    GROUP BY u.grp
)
SELECT
    COUNT(CASE WHEN c.before > 0 THEN 1 END) AS groups,
    COALESCE(
        SUM(
            CASE
                WHEN c.before > 0
                THEN CAST((c.n - c.before) * (c.n - c.before) AS DOUBLE) / c.before
            END
        ),
        CAST(0 AS DOUBLE)
    ) AS chi_squared,
    COUNT(CASE WHEN c.before = 0 THEN 1 END) AS strangers,
    COUNT(CASE WHEN c.before > 0 AND c.n = 0 THEN 1 END) AS emptied
FROM compared AS c
