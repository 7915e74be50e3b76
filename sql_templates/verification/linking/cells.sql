{# The source's rows by all that is compared. Whether a cell is sensitive is worked out here, from
   the policy's conditions alone: where nobody knows, it is.
   grain: one row per distinct combination
   in: source, dim_<index>, judged_values_<j>, labels [(attribute, facet, for whom it is sensitive
       or none)], valued [(number j, facet, a, column, cast, text: see verification/linking/macros)],
       facets (the columns made)
   out: table judged_cells(v<facet>: of a label the code, 0 for NULL, -1 for a value that no
       hierarchy has, -2 where the cell is sensitive; of a value its number, 0 for NULL, n) #}
{% from 'verification/linking/macros.sql' import coded_rows, coded_values %}
CREATE TABLE judged_cells AS
SELECT
    {{ facets | idents('c') }},
    CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT {{ coded_values(labels, valued) }}
    FROM {{ coded_rows(source, labels, valued) }}
) AS c
GROUP BY {{ facets | idents('c') }}
