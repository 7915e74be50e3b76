{# The sets of rows of the source that all releases together leave, by size. Rows that are in no
   release are in none.
   grain: one row per size
   in: together_parts, releases (places), entity (whether who is there)
   out: (rows at the least, people or rows, sets, rows that they stand for) #}
SELECT s.n, s.units, COUNT(*) AS sets, CAST(SUM(s.size) AS BIGINT) AS size
FROM (
    SELECT
        CAST(SUM(p.n) AS BIGINT) AS n,
        {% if entity %}
        CAST(COUNT(DISTINCT p.who) AS BIGINT) AS units,
        {% else %}
        CAST(SUM(p.n) AS BIGINT) AS units,
        {% endif %}
        SUM(p.size) AS size
    FROM together_parts AS p
    WHERE 0{{ releases | each(' + p.e#', '') }} > 0
    GROUP BY {{ releases | listed('p.e#') }}
    HAVING SUM(p.n) > 0
) AS s
GROUP BY s.n, s.units
