{# The released rows by person, where a released column tells people apart.
   grain: one row per distinct combination and person
   in: judged_rows, judged_values_<j>, labels, kept, buckets and who (see coded_released), facets (the
       columns made), made (the new table's name)
   out: table made(id: from 1, v<facet>, who: a number, n) #}
{% from 'verification/linking/macros.sql' import coded_released %}
CREATE TABLE {{ made | ident }} AS
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ facets | listed('g.@ NULLS FIRST') }}, g.who NULLS FIRST) AS id,
    {{ facets | idents('g') }},
    DENSE_RANK() OVER (ORDER BY g.who NULLS FIRST) AS who,
    g.n
FROM (
    SELECT {{ facets | idents('c') }}, c.who, CAST(SUM(c.n) AS BIGINT) AS n
    FROM (
        SELECT
            {{ coded_released(labels, kept, buckets, who) }}
        WHERE r.masked = 0
    ) AS c
    GROUP BY {{ facets | idents('c') }}, c.who
) AS g
