{# in: table (of cells), kept, levels, attributes, promise
   out: rows of assigned #}
INSERT INTO assigned
SELECT {% if promise.extras %}DISTINCT {% endif %}{% for a in attributes %}t.c{{ a.index | integer }}, {% endfor %}x.grp
FROM {{ table | ident }} AS t
JOIN kept AS x ON {% for a in attributes %}x.g{{ a.index | integer }} = {% include 'recoding/code.sql' %}{% if not loop.last %} AND {% endif %}{% endfor +%}
