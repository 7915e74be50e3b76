{# Where the released counts of sensitive values by group are not those of the rows with their
   groups.
   grain: one row
   in: separated, group (the position of the group's number), released (group, value, count), table
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import compared %}
WITH expected AS (
    SELECT
        x.r{{ group | integer }} AS r1,
        {{ compared(released[1], ['x', 's']) }} AS r2,
        CAST(COUNT(*) AS BIGINT) AS r3,
        1 AS n
    FROM separated AS x
    GROUP BY x.r{{ group | integer }}, x.s
),
{% include 'verification/surplus.sql' %}
