{# How far each sensitive column's values differ inside the classes of a release. Masked rows (* in
   every label) are no class.
   grain: one row per sensitive column, in order
   in: table, labels (the quasi-identifying columns), masks
       (whether rows that are * in all of them are masked ones), columns (the sensitive ones, as
       star/value takes them)
   out: (number of the column from 1, rows in classes, rows in classes with a single value, the
       largest share of a value in a class) #}
{% for a in columns %}
SELECT
    {{ loop.index | integer }} AS number,
    CAST(COALESCE(SUM(c.n), 0) AS BIGINT) AS total,
    CAST(COALESCE(SUM(c.n) FILTER (WHERE c.most = c.n), 0) AS BIGINT) AS alike,
    MAX(CAST(c.most AS DOUBLE) / c.n) AS highest
FROM (
    SELECT CAST(SUM(v.n) AS BIGINT) AS n, MAX(v.n) AS most
    FROM (
        SELECT {{ labels | each('s.@ AS v$,') }} COUNT(*) AS n
        FROM {{ table | ident }} AS s
        {% if masks %}
        WHERE NOT ({{ labels | each("COALESCE(s.@, '') = '*'", ' AND ') }})
        {% endif %}
        GROUP BY {{ labels | idents('s') }}, {{ a | value('s') }}
    ) AS v
    GROUP BY {{ labels | listed('v.v$') }}
) AS c
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
ORDER BY number
