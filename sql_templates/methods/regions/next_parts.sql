{# The regions of the next round: what each cut region is cut into. Along the attribute of the cut a
   region is at its child node; a rest (slot -1) stays at the node of the region that was cut.
   grain: one row per region
   in: parts, chosen, decided, attributes, after (the greatest number of a region so far),
       next_parts
   out: table <next_parts>(part: the region's number, n: rows, l1 … ln levels, g1 … gn group codes,
       parent: the region that was cut, slot: the child, or -1) #}
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
