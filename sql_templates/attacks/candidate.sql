{# A table that the source might be: the rows with their quasi-identifying values, each with a value
   of the secret that is assigned to it.
   grain: one row per row
   in: attacked_assigned(combination, value), attacked_source, dim_<index>, judged_values_<j>,
       labels [(attribute, facet)], facets (columns v<facet>), j and secret (of the secret, its
       number and column)
   out: table attacked_candidate(the columns) #}
CREATE TABLE attacked_candidate AS
SELECT
    {% for a, facet in labels %}
    d#.value AS {{ a.name | ident }},
    {% endfor %}
    t.value AS {{ secret | ident }}
FROM attacked_assigned AS s
JOIN (
    SELECT
        {{ facets | idents('u') }},
        ROW_NUMBER() OVER (ORDER BY {{ facets | listed('u.@ NULLS FIRST') }}) AS combination
    FROM attacked_source AS u
    GROUP BY {{ facets | idents('u') }}
) AS c ON c.combination = s.combination
{% for a, facet in labels %}
LEFT JOIN dim_# AS d# ON d#.code = c.{{ ('v' ~ facet) | ident }}
{% endfor %}
LEFT JOIN {{ ('judged_values_' ~ j) | ident }} AS t ON t.x = s.value
