{# The risk of the rows of a table by what they stand for in the population: see macros.sql.
   grain: one row
   in: table, columns (as star/value takes them), masked (as in risks/population/sizes), weight (the
       column that says how many members of the population a row stands for; none: each stands for
       as many, see fraction), fraction (of the population, when there is no weight), above (the
       greatest risk that is accepted)
   out: (rows, what they stand for together, the sum of their risks, the highest, rows with a risk
       above) #}
{% from 'risks/individual/macros.sql' import individual %}
SELECT
    CAST(COALESCE(SUM(a.f), 0) AS BIGINT) AS total,
    SUM(a.f / a.p) AS members,
    SUM(a.f * a.risk) AS expected,
    MAX(a.risk) AS highest,
    CAST(COALESCE(SUM(CASE WHEN a.risk > {{ above | number }} THEN a.f END), 0) AS BIGINT) AS above
FROM (
    SELECT
        r.f,
        r.p,
        {{ individual() }} AS risk
    FROM (
        SELECT
            COUNT(*) AS f,
        {% if weight %}
            COUNT(*) / SUM(CAST(s.{{ weight | ident }} AS DOUBLE)) AS p
        {% else %}
            CAST({{ fraction | number }} AS DOUBLE) AS p
        {% endif %}
        FROM {{ table | ident }} AS s
        {% if masked %}
        WHERE NOT ({{ masked | each("COALESCE(s.@, '') = '*'", ' AND ') }})
        {% endif %}
        {% if columns %}
        GROUP BY
            {{ columns | listed('@(s)') }}
        {% endif %}
    ) AS r
) AS a
