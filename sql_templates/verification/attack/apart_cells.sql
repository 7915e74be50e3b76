{# The originals, where sensitive values are released apart: the source's rows by all that is
   compared. Whether a cell is sensitive is worked out here, from the policy's conditions alone:
   where nobody knows, it is.
   grain: one row per distinct combination
   in: source, dim_<index>, judged_values_<j>, labels [(attribute, facet, for whom it is sensitive
       or none)], valued [(number j, facet, a, column, cast, text: see verification/attack/macros)],
       facets (the columns made)
   out: table judged_cells(v<facet>: of a label the code, 0 for NULL, -1 for a value that no
       hierarchy has, -2 where the cell is sensitive; of a value its number, 0 for NULL, n) #}
{% from 'verification/attack/macros.sql' import own_value %}
CREATE TABLE judged_cells AS
SELECT
    {{ facets | idents('c') }},
    CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT
    {% for a, facet, asked in labels %}
        CASE
        {% if asked %}
            WHEN COALESCE({{ asked | condition('r') }}, TRUE) THEN -2
        {% endif %}
            WHEN r.{{ a.name | ident }} IS NULL THEN 0
            ELSE COALESCE(d#.code, -1)
        END AS {{ ('v' ~ facet) | ident }}{% if valued or not loop.last %},{% endif +%}
    {% endfor %}
    {% for j, facet, a, column, cast, text in valued %}
        {{ j | sql('COALESCE(t#.x, 0)') }} AS {{ ('v' ~ facet) | ident }}
            {% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM {{ source | ident }} AS r
    {% for a, facet, asked in labels %}
    LEFT JOIN dim_# AS d# ON d#.value = {{ a | value('r') }}
    {% endfor %}
    {% for j, facet, a, column, cast, text in valued %}
    LEFT JOIN {{ ('judged_values_' ~ j) | ident }} AS t{{ j | integer }}
        ON t{{ j | integer }}.value = {{ own_value(a, column, cast, text) }}
    {% endfor %}
) AS c
GROUP BY {{ facets | idents('c') }}
