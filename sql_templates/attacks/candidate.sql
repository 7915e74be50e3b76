{# A table that the source might be, or many parts of such tables, side by side.
   grain: one row per row
   in: attacked_assigned(part, v<facet>: the codes of its values, value: of the secret), dim_<index>,
       judged_values_<j>, labels [(attribute, facet)], j and secret (of the secret, its number and
       column, or none), part (the column that tells parts apart, or none)
   out: table attacked_candidate(the columns) #}
CREATE TABLE attacked_candidate AS
SELECT
    {% if part %}
    s.part AS {{ part | ident }},
    {% endif %}
    {% for a, facet in labels %}
    d#.value AS {{ a.name | ident }}{% if secret or not loop.last %},{% endif +%}
    {% endfor %}
    {% if secret %}
    t.value AS {{ secret | ident }}
    {% endif %}
FROM attacked_assigned AS s
{% for a, facet in labels %}
LEFT JOIN dim_# AS d# ON d#.code = s.{{ ('v' ~ facet) | ident }}
{% endfor %}
{% if secret %}
LEFT JOIN {{ ('judged_values_' ~ j) | ident }} AS t ON t.x = s.value
{% endif %}
