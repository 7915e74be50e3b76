{# The ordered domain of every attribute: the values that the data has. Positions count from 1; NULL
   has the position 0.
   grain: one row per attribute and code that the data has
   in: cells, dim_<index>, attributes, shares {index: billionths of a row's whole loss}, resolution
       (the most positions that an attribute may have; where values are more, neighbours with about
       as many rows share one)
   out: table positions(attribute, code, rank: place in the order, position, at: where on the
       attribute's range the value lies, by its distance from the least one, or by its rank where it
       is a name, in billionths of a row's loss) #}
CREATE TABLE positions AS
{% for a in attributes %}
SELECT
    # AS attribute,
    b.code, b.rank,
    CAST(CASE WHEN b.code = 0 THEN 0
        ELSE DENSE_RANK() OVER (ORDER BY b.bin NULLS FIRST)
        - MAX(CASE WHEN b.code = 0 THEN 1 ELSE 0 END) OVER () END AS INTEGER) AS position,
    CAST(FLOOR({{ shares[a.index] | integer }} * (b.distance - MIN(b.distance) OVER ())
        / NULLIF(MAX(b.distance) OVER () - MIN(b.distance) OVER (), 0) + 0.5) AS BIGINT) AS at
FROM (
    SELECT
        o.code, o.rank,
        {% if a.sorts %}
        o.distance,
        {% else %}
        CAST(CASE WHEN o.code > 0 THEN o.rank END AS DOUBLE) AS distance,
        {% endif %}
        CASE
            WHEN o.code = 0 THEN -1
            WHEN COUNT(*) OVER () > {{ resolution | integer }}
            THEN FLOOR(CAST(SUM(o.n) OVER (ORDER BY o.rank NULLS FIRST
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - o.n AS DOUBLE)
                * {{ resolution | integer }} / SUM(o.n) OVER ())
            ELSE o.rank
        END AS bin
    FROM (
        SELECT
            d.code, t.n,
            {% if a.column.kind in ('date', 'timestamp') %}
            CAST(DATE_DIFF('day', CAST(MIN(d.value) OVER () AS DATE),
                CAST(d.value AS DATE)) AS DOUBLE) AS distance,
            {% elif a.sorts %}
            CAST(d.value AS DOUBLE) AS distance,
            {% endif %}
            CAST(ROW_NUMBER() OVER (ORDER BY d.place NULLS FIRST) AS INTEGER) AS rank
        FROM (
            SELECT s.c# AS code, CAST(SUM(s.n) AS BIGINT) AS n
            FROM cells AS s
            GROUP BY s.c#
        ) AS t
        JOIN (
            {% include 'methods/refinement/ordered.sql' %}
        ) AS d ON d.code = t.code
    ) AS o
) AS b
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
