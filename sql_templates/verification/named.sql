{# The distinct released values of a column with the rows that have them, less the masked rows.
   grain: one row per value with its bounds
   in: table (of the release), label (the column), bounds (its bounds columns' names), masked (the
       columns that have * in masked
       rows; none where no rows are masked)
   out: (rows, label, bounds as text) #}
SELECT
    COUNT(*) AS n,
    r.{{ label.name | ident }}
{% for bound in bounds %}
    , CAST(r.{{ bound | ident }} AS VARCHAR) AS {{ ('b' ~ loop.index) | ident }}
{% endfor %}
FROM {{ table | ident }} AS r
{% if masked %}
WHERE NOT ({% for each in masked %}COALESCE(r.{{ each | ident }}, '') = '*'{% if not loop.last
    %} AND {% endif %}{% endfor %})
{% endif %}
GROUP BY r.{{ label.name | ident }}{% if label.type == 'VARCHAR' %}, r.{{ label.name | ident
    }} COLLATE "C"{% endif %}{% for bound in bounds %}, r.{{ bound | ident }}{% endfor +%}
