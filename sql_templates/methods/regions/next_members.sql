{# The cells of the next round's regions.
   grain: one row per cell (and promise.extras)
   in: members, chosen, next_parts, steps, attributes, promise, next_members
   out: table <next_members>(part, c1 … cn, promise.extras, promise.weights) #}
CREATE TABLE {{ next_members | ident }} AS
SELECT
    COALESCE(q.part, r.part) AS part
    {{ attributes | each(', m.c#') }}
    {{ (promise.extras + promise.weights) | each(', m.@') }}
FROM {{ members | ident }} AS m
JOIN chosen AS h ON h.part = m.part
JOIN steps AS s
    ON s.attribute = h.attribute
    AND s.level = h.level
    AND s.code = CASE h.attribute
        {{ attributes | each('WHEN # THEN m.c#') }}
    END
LEFT JOIN {{ next_parts | ident }} AS q ON q.parent = h.part AND q.slot = s.up
LEFT JOIN {{ next_parts | ident }} AS r ON r.parent = h.part AND r.slot = -1
