{# in: table (of cells), kept, levels, attributes, promise
   out: rows of assigned #}
{% from 'methods/cells/macros.sql' import code %}
INSERT INTO assigned
SELECT {% if promise.extras %}DISTINCT {% endif %}{{ attributes | each('t.c#,') }} x.grp
FROM {{ table | ident }} AS t
JOIN kept AS x
    ON
    {% for a in attributes %}
        x.g# = {{ code(a, levels) }}
        {% if not loop.last %}AND{% endif +%}
    {% endfor %}
