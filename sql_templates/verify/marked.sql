{# Where the rows that were dealt are not the source's, marked anew, with their codes and sensitive values, as multisets.
   grain: one row
   in: source, local_rows, what patterns/coded takes
   out: (distinct rows whose number differs, by how many rows in all) #}
WITH both_sides AS (
    SELECT {% with side = 'c' %}{% include 'verify/marked_columns.sql' %}{% endwith %}, 1 AS n
    FROM (
        {% with anew = true %}{% include 'patterns/coded.sql' %}{% endwith +%}
    ) AS c
    UNION ALL
    SELECT {% with side = 'p' %}{% include 'verify/marked_columns.sql' %}{% endwith %}, -1
    FROM local_rows AS p
)
SELECT COUNT(*) AS different, CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
    SELECT SUM(b.n) AS surplus
    FROM both_sides AS b
    GROUP BY {% for a in attributes %}b.c{{ a.index | integer }}{% if kept or bucketized or not loop.last %}, {% endif %}{% endfor %}{% for column in kept %}b.k{{ loop.index | integer }}{% if bucketized or not loop.last %}, {% endif %}{% endfor %}{% for b in bucketized %}b.w{{ b.index | integer }}, b.s{{ b.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
    HAVING SUM(b.n) <> 0
) AS d
