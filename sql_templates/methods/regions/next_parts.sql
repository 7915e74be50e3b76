{# The regions of the next round.
   grain: one row per region
   in: parts, chosen, decided, attributes, after (the greatest number of a region so far),
       next_parts
   out: table <next_parts>(part, n, l1 … ln, g1 … gn, parent, slot) #}
CREATE TABLE {{ next_parts | ident }} AS
SELECT
    {{ after | integer }}
        + ROW_NUMBER() OVER (ORDER BY v.part NULLS FIRST, v.slot NULLS FIRST) AS part,
    v.n
    {{ attributes | each(
        ', CASE WHEN h.attribute = # AND v.slot >= 0 THEN h.level ELSE p.l# END AS l#'
    ) }}
    {{ attributes | each(
        ', CASE WHEN h.attribute = # AND v.slot >= 0 THEN v.slot ELSE p.g# END AS g#'
    ) }}
    , v.part AS parent
    , v.slot
FROM chosen AS h
JOIN {{ parts | ident }} AS p ON p.part = h.part
JOIN decided AS v ON v.part = h.part AND v.attribute = h.attribute AND v.variant = h.variant
