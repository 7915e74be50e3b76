{# in: table (of cells), kept, levels, attributes, promise
   out: rows of assigned #}
INSERT INTO assigned
SELECT {% if promise.extras %}DISTINCT {% endif %}{{ attributes | each('t.c#,') }} x.grp
FROM {{ table | ident }} AS t
JOIN kept AS x
    ON
    {% for a in attributes %}
        {{ a | sql('x.g# = ') }}{% include 'methods/cells/code.sql' +%}
        {% if not loop.last %}AND{% endif +%}
    {% endfor %}
