{# The values of a column of the source, numbered. NULL has no number here: it is 0 wherever values
   are numbered.
   grain: one row per distinct value
   in: source, j (the column's number), a, column, cast, text (see verification/attack/own_value)
   out: table judged_values_<j>(value, x: from 1) #}
CREATE TABLE {{ ('judged_values_' ~ j) | ident }} AS
SELECT t.value, ROW_NUMBER() OVER (ORDER BY t.value NULLS FIRST) AS x
FROM (
    SELECT DISTINCT {% include 'verification/attack/own_value.sql' %} AS value
    FROM {{ source | ident }} AS r
    WHERE r.{{ column | ident }} IS NOT NULL
) AS t
