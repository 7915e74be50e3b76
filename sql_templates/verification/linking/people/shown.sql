{# The released rows by person, as a released column tells people apart.
   grain: one row per class, person and distinct kept values
   in: judged_rows, labels, kept, buckets and who (see coded_released), people_classes, placed (its
       columns v<facet>), also (the columns v<facet> of kept values), made
   out: table made(part, person: a number, nobody: 1 where the column is NULL, v<facet>, n) #}
{% from 'verification/linking/macros.sql' import coded_released %}
CREATE TABLE {{ made | ident }} AS
SELECT
    k.part,
    DENSE_RANK() OVER (ORDER BY c.who NULLS FIRST) AS person,
    CASE WHEN c.who IS NULL THEN 1 ELSE 0 END AS nobody,
    {{ also | each('c.@,') }}
    c.n
FROM (
    SELECT
        {{ coded_released(labels, kept, buckets, who) }}
    WHERE r.masked = 0
) AS c
JOIN people_classes AS k ON {{ placed | each('k.@ = c.@', ' AND ') }}
