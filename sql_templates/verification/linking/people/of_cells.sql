{# The source's rows by person and labels.
   grain: one row per combination of labels and person
   in: source, labels and valued (see verification/linking/macros), placed (the columns v<facet> of
       labels), person (the column that tells people apart, as an attribute)
   out: table people_of_cells(v<facet>, person: a number, n) #}
{% from 'verification/linking/macros.sql' import coded_rows, coded_values %}
CREATE TABLE people_of_cells AS
SELECT
    {{ placed | idents('g') }},
    DENSE_RANK() OVER (ORDER BY g.who NULLS FIRST) AS person,
    g.n
FROM (
    SELECT {{ placed | idents('c') }}, c.who, CAST(COUNT(*) AS BIGINT) AS n
    FROM (
        SELECT {{ coded_values(labels, valued) }}, {{ person | value('r') }} AS who
        FROM {{ coded_rows(source, labels, valued) }}
    ) AS c
    GROUP BY {{ placed | idents('c') }}, c.who
) AS g
