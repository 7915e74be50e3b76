{# The distinct released values of columns with the rows that have them, less the masked rows.
   grain: one row per column and value with its bounds
   in: table (of the release), columns (whose labels have one type, each as position: a number,
       label: the column, bounds: its bounds columns' names), bounds (the greatest number of
       bounds), masked (the columns that have * in masked rows; none where no rows are masked)
   out: (position, rows, label, bounds as text: NULL where a column has none) #}
{% for each in columns %}
SELECT
    {{ each.position | integer }} AS position,
    COUNT(*) AS n,
    r.{{ each.label.name | ident }} AS label
    {% for number in range(bounds) %}
    {% if each.bounds[number] is defined %}
    , CAST(r.{{ each.bounds[number] | ident }} AS VARCHAR) AS b{{ number | integer }}
    {% else %}
    , CAST(NULL AS VARCHAR) AS b{{ number | integer }}
    {% endif %}
    {% endfor %}
FROM {{ table | ident }} AS r
{% if masked %}
WHERE NOT ({{ masked | each("COALESCE(r.@, '') = '*'", ' AND ') }})
{% endif %}
GROUP BY
    r.{{ each.label.name | ident }}
    {% if each.label.type == 'VARCHAR' %}
    , r.{{ each.label.name | ident }} COLLATE "C"
    {% endif %}
    {{ each.bounds | each(', r.@') }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
