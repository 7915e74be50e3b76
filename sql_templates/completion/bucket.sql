{# The values of buckets or groups, each with the positions that it takes in them.
   grain: one row per bucket and value
   in: into, c (completed column)
   out: table into(grp, value, first, past: positions from 0) #}
CREATE TABLE {{ into | ident }} AS
SELECT
    s.{{ c.bucketed.key | ident }} AS grp,
    s.{{ c.bucketed.value.name | ident }} AS value,
    SUM(s.{{ c.bucketed.count | ident }}) OVER (
        PARTITION BY s.{{ c.bucketed.key | ident }}
        ORDER BY CAST(s.{{ c.bucketed.value.name | ident }} AS VARCHAR) COLLATE "C" NULLS FIRST
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) - s.{{ c.bucketed.count | ident }} AS first,
    SUM(s.{{ c.bucketed.count | ident }}) OVER (
        PARTITION BY s.{{ c.bucketed.key | ident }}
        ORDER BY CAST(s.{{ c.bucketed.value.name | ident }} AS VARCHAR) COLLATE "C" NULLS FIRST
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS past
FROM {{ c.bucketed.table | ident }} AS s
