{# The cells along the Hilbert curve. Of more than 3k rows that are alike the partition need not tell how many more there
   are: they are counted as that many.
   grain: one row per cell
   in: table (points), attributes, keys (columns h…, highest level first), k
   out: table line(cell: its number on the curve, p1 … pn, first and last of its rows, stop: the last, counted with at most
        3k rows a cell, nearest: at this distance, in cells, and from there on they make k rows together with those between,
        farthest: up to this distance there are at most 2k - 3 rows between) #}
CREATE TABLE line AS
SELECT
    w.cell
{% for a in attributes %}
    , w.p{{ a.index | integer }}
{% endfor %}
    , w.first
    , w.last
    , w.stop
    , CASE WHEN w.stop < {{ k | integer }} THEN w.cell ELSE COUNT(*) OVER (ORDER BY w.stop NULLS LAST RANGE BETWEEN {{ (k - 1) | integer }} PRECEDING AND CURRENT ROW) - 1 END AS nearest
    , COALESCE(LAG(w.near) OVER (ORDER BY w.cell NULLS LAST), 0) AS farthest
FROM (
    SELECT
        v.*,
        COUNT(*) OVER (ORDER BY v.stop NULLS LAST RANGE BETWEEN {{ (2 * k - 3) | integer }} PRECEDING AND CURRENT ROW) AS near
    FROM (
        SELECT
            o.cell
        {% for a in attributes %}
            , o.p{{ a.index | integer }}
        {% endfor %}
            , CAST(SUM(o.n) OVER (ORDER BY o.cell NULLS LAST) AS BIGINT) - o.n + 1 AS first
            , CAST(SUM(o.n) OVER (ORDER BY o.cell NULLS LAST) AS BIGINT) AS last
            , CAST(SUM(o.m) OVER (ORDER BY o.cell NULLS LAST) AS BIGINT) AS stop
        FROM (
            SELECT
                ROW_NUMBER() OVER (ORDER BY {% for key in keys %}q.{{ key | ident }} NULLS LAST{% if not loop.last %}, {% endif %}{% endfor %}) AS cell,
                q.n,
                CASE WHEN q.n > {{ (3 * k) | integer }} THEN {{ (3 * k) | integer }} ELSE q.n END AS m
            {% for a in attributes %}
                , q.p{{ a.index | integer }}
            {% endfor %}
            FROM {{ table | ident }} AS q
        ) AS o
    ) AS v
) AS w
