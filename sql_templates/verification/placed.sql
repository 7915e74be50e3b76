{# Where the rows that were given places are not those of the source, as multisets.
   grain: one row
   in: what verification/coded takes, placed
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import compared %}
WITH both_sides AS (
    SELECT
    {% for r in released if r.kind == 'kept' or r.averaged %}
        {{ compared(r, ['c', 'r' ~ r.position]) }} AS r{{ r.position | integer }},
    {% endfor %}
        {{ attributes | each('c.c#,') }}
        {{ valued | each('c.x#,') }}
        1 AS n
    FROM (
        {% with judged = () %}{% include 'verification/coded.sql' %}{% endwith +%}
    ) AS c
    UNION ALL
    SELECT
    {% for r in released if r.kind == 'kept' or r.averaged %}
        {{ compared(r, ['p', 'r' ~ r.position]) }},
    {% endfor %}
        {{ attributes | each('p.c#,') }}
        {{ valued | each('p.x#,') }}
        -1
    FROM placed AS p
)
SELECT COUNT(*) AS different, CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
    SELECT SUM(b.n) AS surplus
    FROM both_sides AS b
    GROUP BY
        {% for r in released if r.kind == 'kept' or r.averaged %}
        b.r{{ r.position | integer }},
        {% endfor %}
        {{ attributes | listed('b.c#') }}{{ valued | each(', b.x#') }}
    HAVING SUM(b.n) <> 0
) AS d
