{# The cells of a public domain: all combinations of groups at vectors of levels, with what was
   counted of them, 0 where nobody is.
   grain: one row per vector of levels and group of every dimension
   in: counted, groups, name, vectors (each with its number and the level of every dimension; None at
       the top), attributes, sums
   out: the table `name` (the columns of counted) #}
CREATE TABLE {{ name | ident }} AS
SELECT
    d.v,
    {{ attributes | each('d.c#,') }}
    COALESCE(t.people, 0) AS people,
    {{ sums | each('COALESCE(t.m#, 0) AS m#,') }}
    COALESCE(t.n, 0) AS n
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
    JOIN groups AS g# ON g#.attribute = # AND g#.level = {{ vector.levels[a.index] | integer }}
    {% endif %}
    {% endfor %}
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS d
LEFT JOIN counted AS t ON t.v = d.v AND {{ attributes | each('t.c# = d.c#', ' AND ') }}
