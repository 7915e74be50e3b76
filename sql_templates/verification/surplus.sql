{# What is left when the released rows are taken from the expected ones: the end of a statement that
   begins with those.
   in: expected (r<position> …, n: how many of the row), released, table
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import compared %}
both_sides AS (
    SELECT e.* FROM expected AS e
    UNION ALL
    SELECT
    {% for r in released %}
        {{ compared(r, ['p', r.name]) }},
    {% endfor %}
        -1
    FROM {{ table | ident }} AS p
)
SELECT COUNT(*) AS different, CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
    SELECT SUM(b.n) AS surplus
    FROM both_sides AS b
    GROUP BY {{ released | listed('b.r#') }}
    HAVING SUM(b.n) <> 0
) AS d
