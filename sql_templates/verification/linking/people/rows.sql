{# The source's rows by person, of those that fit a class.
   grain: one row per person, combination of labels, and distinct kept values
   in: source, labels and valued (see verification/linking/macros), people_cells, placed (its columns
       v<facet>), kept (the columns v<facet> of kept values), person (the column that tells people
       apart, as an attribute)
   out: table people_rows(cell, part, person: a number, nobody: 1 where the column is NULL,
       v<facet>: the kept value, n) #}
{% from 'verification/linking/macros.sql' import coded_rows, coded_values %}
CREATE TABLE people_rows AS
SELECT
    p.cell,
    p.part,
    DENSE_RANK() OVER (ORDER BY g.who NULLS FIRST) AS person,
    CASE WHEN g.who IS NULL THEN 1 ELSE 0 END AS nobody,
    {{ kept | each('g.@,') }}
    g.n
FROM (
    SELECT {{ placed | idents('c') }}, {{ kept | each('c.@,') }} c.who, CAST(COUNT(*) AS BIGINT) AS n
    FROM (
        SELECT
            {{ coded_values(labels, valued) }},
            {{ person | value('r') }} AS who
        FROM {{ coded_rows(source, labels, valued) }}
    ) AS c
    GROUP BY {{ placed | idents('c') }}, {{ kept | each('c.@,') }} c.who
) AS g
JOIN (
    SELECT DISTINCT c.cell, c.part, {{ placed | idents('c') }} FROM people_cells AS c
) AS p ON {{ placed | each('p.@ = g.@', ' AND ') }}
