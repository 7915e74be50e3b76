{# How far each sensitive column's values differ inside the classes of a release. Masked rows (* in every label) are no
   class.
   grain: one row per sensitive column, in order
   in: table, labels (the quasi-identifying columns), arrays (whether these are arrays), masks (whether rows that are *
       in all of them are masked ones), columns (the sensitive ones, as star/value takes them)
   out: (number of the column from 1, rows in classes, rows in classes with a single value, the largest share of a value
        in a class) #}
{% for a in columns %}
SELECT
    {{ loop.index | integer }} AS number,
    CAST(COALESCE(SUM(c.n), 0) AS BIGINT) AS total,
    CAST(COALESCE(SUM(c.n) FILTER (WHERE c.most = c.n), 0) AS BIGINT) AS alike,
    MAX(CAST(c.most AS DOUBLE) / c.n) AS highest
FROM (
    SELECT CAST(SUM(v.n) AS BIGINT) AS n, MAX(v.n) AS most
    FROM (
        SELECT {% for label in labels %}s.{{ label | ident }} AS v{{ loop.index | integer }}, {% endfor %}COUNT(*) AS n
        FROM {{ table | ident }} AS s
        {% if masks %}
        WHERE NOT ({% for label in labels %}COALESCE(s.{{ label | ident }}, '') = '*'{% if not loop.last %} AND {% endif %}{% endfor %})
        {% endif %}
        GROUP BY {{ labels | idents('s') }}, {% with side = 's' %}{% include 'star/value.sql' %}{% endwith +%}
    ) AS v
    GROUP BY {% for label in labels %}v.v{{ loop.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
) AS c
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
ORDER BY number
