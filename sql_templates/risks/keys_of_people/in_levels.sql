{# The fewest people in a class of a full-domain generalization, NULL being a person.
   grain: one row
   in: source, attributes, dim_<index>, levels {index: level}, kept_classes (c1 …, n, ok; empty when
       no row is suppressed), people (the column, as star/value takes it)
   out: the number of people; NULL where there is no class #}
SELECT MIN(g.people) AS people
FROM (
    SELECT
        COUNT(DISTINCT {{ people | value('s') }})
            + MAX(CASE WHEN s.{{ people.name | ident }} IS NULL THEN 1 ELSE 0 END) AS people
    FROM {{ source | ident }} AS s
    {{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
    {% if kept_classes %}
    JOIN {{ kept_classes | ident }} AS x
        ON x.ok
    {% for a in attributes %}
        AND x.c# = COALESCE(d#.g{{ levels[a.index] | integer }}, 0)
    {% endfor %}
    {% endif %}
    GROUP BY
    {% for a in attributes %}
        COALESCE(d#.g{{ levels[a.index] | integer }}, 0){% if not loop.last %},{% endif +%}
    {% endfor %}
) AS g
