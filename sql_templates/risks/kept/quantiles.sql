{# Quantiles of columns of numbers: for each share the least value up to which at least so many rows
   have one. What is infinite, or beyond 1e30, is left out.
   grain: one row per column, in order
   in: relation, columns, shares (of the rows with a number, rising), apart (by column: numbers that
       are left out, too)
   out: (position, one column per share: NULL where the column has no number) #}
{% for column in columns %}
SELECT
    {{ loop.index | integer }} AS position
    {% for share in shares %}
    , MIN(CASE WHEN r.upto >= r.total * {{ share | number }} THEN r.v END)
        AS {{ ('p' ~ loop.index) | ident }}
    {% endfor %}
FROM (
    SELECT
        c.v,
        CAST(SUM(c.n) OVER (ORDER BY c.v NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS DOUBLE) AS upto,
        CAST(SUM(c.n) OVER () AS DOUBLE) AS total
    FROM (
        SELECT CAST(s.{{ column.name | ident }} AS DOUBLE) AS v, COUNT(*) AS n
        FROM {{ relation | ident }} AS s
        WHERE s.{{ column.name | ident }} BETWEEN -1e30 AND 1e30
            {% if column.name in apart %}
            AND CAST(s.{{ column.name | ident }} AS DOUBLE) NOT IN ({{ apart[column.name] | literals }})
            {% endif %}
        GROUP BY CAST(s.{{ column.name | ident }} AS DOUBLE)
    ) AS c
) AS r
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
ORDER BY position
