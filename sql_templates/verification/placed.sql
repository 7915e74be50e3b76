{# Where the rows that were given places are not those of the source, as multisets.
   grain: one row
   in: what verification/coded takes, placed
   out: (distinct rows whose number differs, by how many rows in all) #}
WITH both_sides AS (
    SELECT
    {% for r in released if r.kind == 'kept' %}
        {% with value = ['c', 'r' ~ r.position] %}{% include 'verification/compared.sql'
            %}{% endwith %} AS r{{ r.position | integer }},
    {% endfor %}
    {% for a in attributes %}
        c.c{{ a.index | integer }},
    {% endfor %}
    {% for a in valued %}
        c.x{{ a.index | integer }},
    {% endfor %}
        1 AS n
    FROM (
        {% with judged = () %}{% include 'verification/coded.sql' %}{% endwith +%}
    ) AS c
    UNION ALL
    SELECT
    {% for r in released if r.kind == 'kept' %}
        {% with value = ['p', 'r' ~ r.position] %}{% include 'verification/compared.sql'
            %}{% endwith %},
    {% endfor %}
    {% for a in attributes %}
        p.c{{ a.index | integer }},
    {% endfor %}
    {% for a in valued %}
        p.x{{ a.index | integer }},
    {% endfor %}
        -1
    FROM placed AS p
)
SELECT COUNT(*) AS different, CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
    SELECT SUM(b.n) AS surplus
    FROM both_sides AS b
    GROUP BY {% for r in released if r.kind == 'kept' %}b.r{{ r.position | integer }}, {% endfor
        %}{% for a in attributes %}b.c{{ a.index | integer }}{% if not loop.last %}, {% endif
            %}{% endfor %}{% for a in valued %}, b.x{{ a.index | integer }}{% endfor +%}
    HAVING SUM(b.n) <> 0
) AS d
