{# The values of a column of the source, numbered. NULL has no number here: it is 0 wherever values
   are numbered.
   grain: one row per distinct value
   in: source, j (the column's number), a, column, cast, text (see verification/linking/macros)
   out: table judged_values_<j>(value, x: from 1) #}
{% from 'verification/linking/macros.sql' import own_value %}
CREATE TABLE {{ ('judged_values_' ~ j) | ident }} AS
SELECT t.value, ROW_NUMBER() OVER (ORDER BY t.value NULLS FIRST) AS x
FROM (
    SELECT DISTINCT {{ own_value(a, column, cast, text) }} AS value
    FROM {{ source | ident }} AS r
    WHERE r.{{ column | ident }} IS NOT NULL
) AS t
