{# The distinct released values of columns with the rows that have them, less the masked rows. Rows
   are counted once, by all of the columns together; what that gives, column by column.
   grain: one row per column and value with its bounds
   in: table (of the release), columns (whose labels have one type, each as position: a number,
       label: the column, bounds: its bounds columns' names), bounds (the greatest number of
       bounds), masked (the columns that have * in masked rows; none where no rows are masked)
   out: (position, rows, label, bounds as text: NULL where a column has none) #}
SELECT
    v.position,
    CAST(SUM(v.n) AS BIGINT) AS n,
    v.label
    {{ range(bounds) | each(', v.b#') }}
FROM (
    SELECT
        c.position,
        k.n,
        CASE c.position {{ columns | each('WHEN # THEN k.l#') }} END AS label
        {% for number in range(bounds) %}
        , CASE c.position
            {% for each in columns if each.bounds[number] is defined %}
            WHEN {{ each.position | integer }} THEN
            CAST(k.{{ ('b' ~ each.position ~ '_' ~ number) | ident }} AS VARCHAR)
            {% endfor %}
        END AS b{{ number | integer }}
        {% endfor %}
    FROM (
        SELECT
            {% for each in columns %}
            r.{{ each.label.name | ident }}
                {%- if each.label.type == 'VARCHAR' %} COLLATE "C"{% endif %}
                AS l{{ each.position | integer }},
            {% for bound in each.bounds %}
            r.{{ bound | ident }} AS {{ ('b' ~ each.position ~ '_' ~ loop.index0) | ident }},
            {% endfor %}
            {% endfor %}
            COUNT(*) AS n
        FROM {{ table | ident }} AS r
        {% if masked %}
        WHERE NOT ({{ masked | each("COALESCE(r.@, '') = '*'", ' AND ') }})
        {% endif %}
        GROUP BY
            {% for each in columns %}
            r.{{ each.label.name | ident }}
                {%- if each.label.type == 'VARCHAR' %} COLLATE "C"{% endif +%}
            {{- each.bounds | each(', r.@') }}{% if not loop.last %},{% endif +%}
            {% endfor %}
    ) AS k
    CROSS JOIN (VALUES {{ columns | listed('(#)') }}) AS c (position)
) AS v
GROUP BY v.position, v.label{{ range(bounds) | each(', v.b#') }}
