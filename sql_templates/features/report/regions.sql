{# The released combinations of quasi-identifying labels, by their rows and by what they lost.
   grain: one row per size and loss
   in: released_facts, losses_<index>(label, loss) of the attributes, columns (how many of these),
       steps (of the loss, from 0 to 1)
   out: (rows of a combination, step of its mean loss, combinations) #}
SELECT g.size, g.step, COUNT(*) AS regions
FROM (
    SELECT
        CAST(SUM(f.n) AS BIGINT) AS size,
        CAST(FLOOR(MAX(
            ({{ attributes | each('COALESCE(l#.loss, 0)', ' + ') }})
            / {{ columns | integer }}
        ) * {{ steps | integer }} + 0.000000001) AS INTEGER) AS step
    FROM released_facts AS f
    {{ attributes | each('LEFT JOIN losses_# AS l# ON l#.label = f.c#') }}
    GROUP BY {{ attributes | listed('f.c#') }}
) AS g
GROUP BY g.size, g.step
ORDER BY g.size NULLS FIRST, g.step NULLS FIRST
