{# in: table (of cells), kept, levels, attributes, promise
   out: rows of assigned #}
INSERT INTO assigned
SELECT {% if promise.extras %}DISTINCT {% endif %}{{ attributes | each('t.c#,') }} x.grp
FROM {{ table | ident }} AS t
JOIN kept AS x
    ON {% for a in attributes %}x.g{{ a.index | integer }} = {% include 'recoding/code.sql' %}{% if not loop.last %} AND {% endif %}{% endfor +%}
