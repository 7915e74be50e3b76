{# The fewest people in a class of a release by groups, NULL being a person: groups that are
   released alike are one class.
   grain: one row
   in: source, attributes, dim_<index>, assigned(c1 … cn, grp), groups, keys (the columns of groups
       that are released), people (the column, as star/value takes it)
   out: the number of people; NULL where there is no class #}
SELECT MIN(g.people) AS people
FROM (
    SELECT
        COUNT(DISTINCT {{ people | value('s') }})
            + MAX(CASE WHEN s.{{ people.name | ident }} IS NULL THEN 1 ELSE 0 END) AS people
    FROM {{ source | ident }} AS s
    {{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
    JOIN assigned AS p
        ON {% for a in attributes %}
        {% if not loop.first %}AND {% endif %}
        p.c# = COALESCE(d#.g{{ a.min_level | integer }}, 0)
        {% endfor %}
    JOIN groups AS x ON x.grp = p.grp
    GROUP BY {{ keys | idents('x') }}
) AS g
