{# The cells of the next round's parts: both sides of the cuts, and what is tried again along more
   attributes.
   grain: one row per cell (and promise.extras)
   in: members, chosen, closed, attributes, promise, after (the greatest number of a part so far),
       table
   out: table <table>(part, p1 … pn, promise.extras, promise.weights, stuck) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    CASE
        WHEN h.part IS NULL THEN m.part
        WHEN CASE h.attribute
            {{ attributes | each('WHEN # THEN m.p#') }}
        END <= h.place THEN {{ after | integer }} + 2 * h.rank - 1
        ELSE {{ after | integer }} + 2 * h.rank
    END AS part
    {{ attributes | each(', m.p#') }}
    {{ (promise.extras + promise.weights) | each(', m.@') }}
    , CASE WHEN h.part IS NULL THEN 1 ELSE 0 END AS stuck
FROM {{ members | ident }} AS m
LEFT JOIN chosen AS h ON h.part = m.part
LEFT JOIN closed AS e ON e.part = m.part
WHERE e.part IS NULL
