{# Where the released counts of a column's values by bucket are not those of the rows with their
   buckets.
   grain: one row
   in: bucketed, index, released (bucket, value, count), table
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import compared %}
WITH expected AS (
    SELECT
        x.b{{ index | integer }} AS r1,
        {{ compared(released[1], ['x', 's' ~ index]) }} AS r2,
        CAST(COUNT(*) AS BIGINT) AS r3,
        1 AS n
    FROM bucketed AS x
    WHERE x.w{{ index | integer }} = 1
    GROUP BY x.b{{ index | integer }}, x.s{{ index | integer }}
),
{% include 'verification/surplus.sql' %}
