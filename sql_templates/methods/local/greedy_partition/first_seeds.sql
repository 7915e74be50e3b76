{# A point of every part that can be cut: one by chance. Where a single cell has so many rows that
   it may lie across every cut, that one, and it stays (heavy): at an end of the line it can be cut
   off.
   grain: one row per part that may be cut: both sides of k rows can be made of whole cells
   in: table (open cells), spans_<i>, attributes, forms, k, most (how many cuts are tried at most,
       about)
   out: table seeds_0(part, id, heavy, n: rows of the part, step: rows between the cuts to try,
       y<i>, from<i>_<l>, upto<i>_<l>, loss<i>_<l>) #}
{% from 'methods/local/greedy_partition/macros.sql' import reach, reach_from %}
CREATE TABLE seeds_0 AS
SELECT
    f.part, m.id, f.heavy, f.n,
    {{ k | integer }}
        * (1 + CAST(FLOOR(CAST(f.n - 2 * {{ k | integer }} AS DOUBLE)
        / ({{ k | integer }} * {{ most | integer }})) AS BIGINT)) AS step
{{ reach(attributes, forms) }}
FROM (
    SELECT
        g.part, g.n,
        CASE WHEN g.heaviest >= {{ k | integer }}
            AND g.heaviest > g.n - 2 * {{ k | integer }} THEN 1 ELSE 0 END AS heavy,
        CASE WHEN g.heaviest >= {{ k | integer }}
            AND g.heaviest > g.n - 2 * {{ k | integer }} THEN MOD(g.heaviest_cell, 2147483648)
            ELSE g.least END AS id
    FROM (
        SELECT
            o.part,
            CAST(SUM(o.n) AS BIGINT) AS n,
            MAX(o.n) AS heaviest,
            MAX(o.n * 2147483648 + o.id) AS heaviest_cell,
            MIN(o.id) AS least
        FROM {{ table | ident }} AS o
        GROUP BY o.part
        HAVING MAX(o.stuck) = 0 AND CAST(SUM(o.n) AS BIGINT) >= 2 * {{ k | integer }}
            AND CAST(SUM(o.n) AS BIGINT) - MAX(o.n) >= {{ k | integer }}
    ) AS g
) AS f
JOIN {{ table | ident }} AS m ON m.id = f.id
{{ reach_from(attributes, forms) }}
