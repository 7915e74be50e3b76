{# The risk of the rows of a table by what they stand for in the population: see macros.sql.
   grain: one row
   in: table, columns (as star/value takes them), masked (as in risks/population/sizes), weight (the
       column that says how many members of the population a row stands for), above (the greatest
       risk that is accepted); or matched (the table of risks/individual/matched in their place)
   out: (rows, what they stand for together, the sum of their risks, the highest, rows with a risk
       above) #}
{% from 'risks/individual/macros.sql' import individual %}
SELECT
    CAST(COALESCE(SUM(a.n), 0) AS BIGINT) AS total,
    SUM(a.n / a.p) AS members,
    SUM(a.n * a.risk) AS expected,
    MAX(a.risk) AS highest,
    CAST(COALESCE(SUM(CASE WHEN a.risk > {{ above | number }} THEN a.n END), 0) AS BIGINT) AS above
FROM (
    SELECT
        r.n,
        r.p,
        {{ individual() }} AS risk
    FROM {% if matched %}{{ matched | ident }}{% else %}(
        SELECT
            COUNT(*) AS n,
            COUNT(*) AS f,
            COUNT(*) / SUM(CAST(s.{{ weight | ident }} AS DOUBLE)) AS p
        FROM {{ table | ident }} AS s
        {% if masked %}
        WHERE NOT ({{ masked | each("COALESCE(s.@, '') = '*'", ' AND ') }})
        {% endif %}
        {% if columns %}
        GROUP BY
            {{ columns | listed('@(s)') }}
        {% endif %}
    ){% endif %} AS r
) AS a
