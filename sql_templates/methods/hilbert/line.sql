{# How far groups reach along the Hilbert curve. Of more than 3k rows that are alike the partition
   need not tell how many more there are: they are counted as that many.
   grain: one row per cell
   in: items, attributes, k
   out: table line(cell: its item, p1 … pn, nearest: at this distance, in cells, and from there on
       they make k rows together with those between, farthest: up to this distance there are at most
       2k - 3 rows between) #}
CREATE TABLE line AS
SELECT
    w.cell
    {{ attributes | each(', w.p#') }}
    , CASE WHEN w.stop < {{ k | integer }} THEN w.cell
        ELSE COUNT(*) OVER (
            ORDER BY w.stop NULLS LAST
            RANGE BETWEEN {{ (k - 1) | integer }} PRECEDING AND CURRENT ROW
        ) - 1 END AS nearest
    , COALESCE(LAG(w.near) OVER (ORDER BY w.cell NULLS LAST), 0) AS farthest
FROM (
    SELECT
        v.cell
        {{ attributes | each(', v.p#') }}
        , v.stop
        , COUNT(*) OVER (
            ORDER BY v.stop NULLS LAST
            RANGE BETWEEN {{ (2 * k - 3) | integer }} PRECEDING AND CURRENT ROW
        ) AS near
    FROM (
        SELECT
            i.item AS cell
            {{ attributes | each(', i.p#') }}
            , CAST(SUM(CASE
                WHEN i.n > {{ (3 * k) | integer }} THEN {{ (3 * k) | integer }}
                ELSE i.n END) OVER (ORDER BY i.item NULLS LAST) AS BIGINT) AS stop
        FROM items AS i
    ) AS v
) AS w
