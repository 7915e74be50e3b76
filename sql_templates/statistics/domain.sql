{# The cells of nobody, which are those combinations of groups at vectors of levels that were not
   counted.
   grain: one row per vector of levels and group of every dimension
   in: counted, groups (a table, all groups or some), name, vectors (each with its number and the
       level of every dimension; None at the top), attributes, ranked (whether contributors are),
       named (whether the only person of a cell is asked for), exclusive (whether people in one
       combination alone are), sums
   out: the table `name` (the columns of counted) #}
CREATE TABLE {{ name | ident }} AS
SELECT
    d.v,
    {{ attributes | each('d.c#,') }}
    {% if named %}
    t.e,
    {% endif %}
    CAST(0 AS BIGINT) AS people,
    {{ sums | each('CAST(0 AS BIGINT) AS m#,') }}
    {% if ranked %}
    {% for m in sums %}
    {% for part in m.ranks %}
    CAST(0 AS BIGINT) AS {{ part | ident }},
    {% endfor %}
    {% endfor %}
    {% endif %}
    {% if exclusive %}
    CAST(0 AS BIGINT) AS exclusive,
    {% endif %}
    CAST(0 AS BIGINT) AS n
FROM (
{% for vector in vectors %}
    SELECT
    {% for a in attributes %}
        {% if vector.levels[a.index] is none %}
        CAST(-1 AS INTEGER) AS c#,
        {% else %}
        g#.code AS c#,
        {% endif %}
    {% endfor %}
        CAST({{ vector.number | integer }} AS INTEGER) AS v
    FROM (SELECT 1 AS x) AS o
    {% for a in attributes %}
    {% if vector.levels[a.index] is not none %}
    JOIN {{ groups | ident }} AS g# ON g#.attribute = # AND g#.level = {{ vector.levels[a.index] | integer }}
    {% endif %}
    {% endfor %}
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS d
LEFT JOIN counted AS t ON t.v = d.v AND {{ attributes | each('t.c# = d.c#', ' AND ') }}
WHERE t.v IS NULL
