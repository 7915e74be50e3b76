{# How often values of a column occur: value by value, or where they are many in bins that have
   about as many rows.
   grain: one row per value, or bin of neighbouring values
   in: table (relation), a (column), bins (how many at most; 0: value by value)
   out: (least and greatest value, how many values, how many rows), in the values' order #}
WITH
counted AS (
    SELECT {{ a | value('t') }} AS value, COUNT(*) AS n
    FROM {{ table | ident }} AS t
    WHERE t.{{ a.name | ident }} IS NOT NULL
        {% if a.column.kind == 'float' %}
        AND t.{{ a.name | ident }} BETWEEN -1e308 AND 1e308
        {% endif %}
    GROUP BY {{ a | value('t') }}
)
{% if bins %}
,
running AS (
    SELECT
        c.value, c.n,
        SUM(c.n) OVER (ORDER BY c.value NULLS FIRST ROWS UNBOUNDED PRECEDING) AS upto,
        SUM(c.n) OVER () AS total
    FROM counted AS c
),
binned AS (
    SELECT
        r.value, r.n,
        CAST(FLOOR(CAST(r.upto - r.n AS DOUBLE) * {{ bins | integer }}
            / CAST(r.total AS DOUBLE)) AS INTEGER) AS bin
    FROM running AS r
)
SELECT
    MIN(b.value) AS first, MAX(b.value) AS last, COUNT(*) AS leaves, CAST(SUM(b.n) AS BIGINT) AS n
FROM binned AS b
GROUP BY b.bin
ORDER BY b.bin
{% else %}
SELECT c.value AS first, c.value AS last, 1 AS leaves, c.n
FROM counted AS c
ORDER BY c.value
{% endif %}
