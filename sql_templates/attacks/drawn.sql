{# The first draw of a completed table, its values by the numbers that the source's have.
   grain: one row per distinct combination
   in: table, draw (its column with the number of the draw), dim_<index>, judged_values_<j>, labels
       [(attribute, facet)], valued [(number j, facet, column, cast, text: see
       verification/linking/macros)], facets (columns v<facet>)
   out: table attacked_drawn(id: from 1, v<facet>: 0 for NULL, -1 for a value that the source does
       not have, n) #}
{% from 'verification/linking/macros.sql' import kept_value %}
CREATE TABLE attacked_drawn AS
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ facets | listed('c.@ NULLS FIRST') }}) AS id,
    {{ facets | idents('c') }},
    CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT
    {% for a, facet in labels %}
        CASE WHEN r.{{ a.name | ident }} IS NULL THEN 0 ELSE COALESCE(d#.code, -1) END
            AS {{ ('v' ~ facet) | ident }}{% if valued or not loop.last %},{% endif +%}
    {% endfor %}
    {% for j, facet, column, cast, text in valued %}
        CASE WHEN r.{{ column | ident }} IS NULL THEN 0
            ELSE {{ j | sql('COALESCE(t#.x, -1)') }} END AS {{ ('v' ~ facet) | ident }}
            {% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM {{ table | ident }} AS r
    {% for a, facet in labels %}
    LEFT JOIN dim_# AS d# ON d#.value = {{ a | value('r') }}
    {% endfor %}
    {% for j, facet, column, cast, text in valued %}
    LEFT JOIN {{ ('judged_values_' ~ j) | ident }} AS t{{ j | integer }}
        ON t{{ j | integer }}.value = {{ kept_value(column, cast, text) }}
    {% endfor %}
    WHERE r.{{ draw | ident }} = 1
) AS c
GROUP BY {{ facets | idents('c') }}
