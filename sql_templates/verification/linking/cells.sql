{# The source's rows by all that is compared. Whether a cell is sensitive is worked out here, from
   the policy's conditions alone: where nobody knows, it is.
   grain: one row per distinct combination, of each person where a column tells people apart
   in: source, dim_<index>, judged_values_<j>, labels [(attribute, facet, for whom it is sensitive
       or none)], valued [(number j, facet, a, column, cast, text: see verification/linking/macros)],
       facets (the columns made), person (the column that tells people apart, as an attribute, or
       none)
   out: table judged_cells(v<facet>: of a label the code, 0 for NULL, -1 for a value that no
       hierarchy has, -2 where the cell is sensitive; of a value its number, 0 for NULL, who: a
       number of the person, n) #}
{% from 'verification/linking/macros.sql' import coded_rows, coded_values %}
CREATE TABLE judged_cells AS
SELECT
    {{ facets | idents('c') }},
    {% if person %}
    DENSE_RANK() OVER (ORDER BY c.who NULLS FIRST) AS who,
    {% endif %}
    CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT
        {{ coded_values(labels, valued) }}
        {% if person %}
        , {{ person | value('r') }} AS who
        {% endif %}
    FROM {{ coded_rows(source, labels, valued) }}
) AS c
GROUP BY {{ facets | idents('c') }}{% if person %}, c.who{% endif +%}
