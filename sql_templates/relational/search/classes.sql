{# The class of each cell of a table at some levels: cells of one class have the same labels, and so
   have the rows that theirs refer to.
   grain: one row per cell
   in: table (its number, attributes, upper where it refers to another one than that of people),
       levels {index: level}, cells_<number>, classes_<upper>, steps
   out: a SELECT of (cell, class) #}
SELECT e.cell,
{% if table.attributes or table.nested %}
    CAST(DENSE_RANK() OVER (ORDER BY
        {% if table.nested %}p.class NULLS LAST{% if table.attributes %},{% endif %}{% endif %}
        {{ table.attributes | listed('s#.up NULLS LAST') }}
    ) AS BIGINT) AS class
{% else %}
    CAST(1 AS BIGINT) AS class
{% endif %}
FROM {{ ('cells_' ~ table.number) | ident }} AS e
{% if table.nested %}
JOIN {{ ('classes_' ~ table.upper) | ident }} AS p ON p.cell = e.up
{% endif %}
{% for a in table.attributes %}
JOIN steps AS s#
    ON s#.attribute = # AND s#.code = e.c# AND s#.level = {{ levels[a.index] | integer }}
{% endfor %}
