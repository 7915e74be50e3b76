{# The cells of every part in a line, from those nearer to the one seed than to the other up to
   those nearer to the other, the seeds at its ends; and between which of the cuts to try they lie.
   The first cut leaves k rows below it, the last no fewer than k above; between two there are so
   many rows that everything but one group's can be made of groups of k.
   grain: one row per open cell
   in: table (open cells), seeds_1, seeds_2, attributes, forms, k, total (of the weights)
   out: table lines(id, part, n, stretch: from 0, y<i>) #}
{% from 'methods/local/greedy_partition/macros.sql' import distance %}
CREATE TABLE lines AS
SELECT
    r.id, r.part, r.n,
    CASE
        WHEN r.below < {{ k | integer }} THEN 0
        ELSE 1 + LEAST(
            CAST(FLOOR(CAST(r.below - {{ k | integer }} AS DOUBLE) / r.step) AS BIGINT),
            CAST(FLOOR(CAST(r.total - 2 * {{ k | integer }} AS DOUBLE) / r.step) AS BIGINT)
        )
    END AS stretch
    {{ attributes | each(', r.y#') }}
FROM (
    SELECT
        d.*,
        {# one whole number to sort by, and sums that need no more than 64 bits #}
        CAST(SUM(CAST(d.n AS DOUBLE)) OVER (
            PARTITION BY d.part
            ORDER BY (d.lean + 2000000000) * 2147483648 + d.id NULLS LAST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS BIGINT) - d.n AS below
    FROM (
        SELECT
            o.id, o.part, o.n,
            s.n AS total,
            s.step,
            CASE
                WHEN o.id = s.id THEN CAST(-2000000000 AS BIGINT)
                WHEN o.id = e.id THEN CAST(2000000000 AS BIGINT)
                ELSE CAST(FLOOR((
                    ({{ distance(attributes, forms, 'o', 's') }})
                    - ({{ distance(attributes, forms, 'o', 'e') }})
                ) / CAST({{ total | literal }} AS DOUBLE) * 1000000000 + 0.5) AS BIGINT)
            END AS lean
            {{ attributes | each(', o.y#') }}
        FROM {{ table | ident }} AS o
        JOIN seeds_1 AS s ON s.part = o.part
        JOIN seeds_2 AS e ON e.part = o.part
    ) AS d
) AS r
