{# The point of every part that is farthest from a seed, in steps of a billionth, so that rounding
   decides nothing.
   grain: one row per part
   in: table (open cells), before (the table of seeds), into, spans_<i>, attributes, forms, total
       (of the weights)
   out: table <into>(part, id, heavy: 0, n, step, y<i>, from<i>_<l>, upto<i>_<l>, loss<i>_<l>) #}
{% from 'methods/local/greedy_partition/macros.sql' import distance, reach, reach_from %}
CREATE TABLE {{ into | ident }} AS
SELECT
    f.part, m.id,
    0 AS heavy,
    f.n, f.step
{{ reach(attributes, forms) }}
FROM (
    SELECT
        s.part,
        MAX(s.n) AS n,
        MAX(s.step) AS step,
        CASE
            WHEN MAX(s.heavy) = 1 THEN MAX(s.id)
            ELSE MOD(MAX(CAST(FLOOR((
                {{ distance(attributes, forms, 'o', 's') }}
            ) / CAST({{ total | literal }} AS DOUBLE) * 1000000000) AS BIGINT) * 2147483648 + o.id),
                2147483648)
        END AS id
    FROM {{ table | ident }} AS o
    JOIN {{ before | ident }} AS s ON s.part = o.part
    GROUP BY s.part
) AS f
JOIN {{ table | ident }} AS m ON m.id = f.id
{{ reach_from(attributes, forms) }}
