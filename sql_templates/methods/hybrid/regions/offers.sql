{# grain: one row per region that can be cut
   in: cuts
   out: (part, rows of the lower and of the upper side, rows to be relocated, ratio) in the order of
       the parts #}
SELECT c.part, c.below, c.above, c.needed, c.ratio
FROM cuts AS c
ORDER BY c.part
