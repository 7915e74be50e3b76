{# The distinct released values of a column with the rows that have them, less the masked rows.
   grain: one row per value with its bounds
   in: table (of the release), label (the column), bounds (its bounds columns' names), masked (the
       columns that have * in masked rows; none where no rows are masked)
   out: (rows, label, bounds as text) #}
SELECT
    COUNT(*) AS n,
    r.{{ label.name | ident }}
    {{ bounds | each(', CAST(r.@ AS VARCHAR) AS b$') }}
FROM {{ table | ident }} AS r
{% if masked %}
WHERE NOT ({{ masked | each("COALESCE(r.@, '') = '*'", ' AND ') }})
{% endif %}
GROUP BY
    r.{{ label.name | ident }}
    {% if label.type == 'VARCHAR' %}
    , r.{{ label.name | ident }} COLLATE "C"
    {% endif %}
    {{ bounds | each(', r.@') }}
