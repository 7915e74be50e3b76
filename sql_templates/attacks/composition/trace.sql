{# The class of a release in which each row of the source may be.
   grain: one row per row of the source that fits a class
   in: source (together_rows), row (name of the column that numbers rows), dim_<index>,
       judged_values_<j>, labels and valued (see verification/linking/macros), together_placed,
       joined (its columns v<facet>), made (the new table's name)
   out: table made(row, class: 0 for none, block, m, b) #}
{% from 'verification/linking/macros.sql' import coded_rows, coded_values %}
CREATE TABLE {{ made | ident }} AS
SELECT
    c.{{ row | ident }},
    CASE WHEN k.is_out = 1 THEN 0 ELSE k.class END AS class,
    k.block,
    k.m,
    k.b
FROM (
    SELECT
        {{ coded_values(labels, valued) }},
        r.{{ row | ident }}
    FROM {{ coded_rows(source, labels, valued) }}
) AS c
JOIN together_placed AS k ON {{ joined | each('k.@ = c.@', ' AND ') }}
