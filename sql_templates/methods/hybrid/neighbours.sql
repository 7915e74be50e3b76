{# Of every mover the first target that agrees with it in all attributes but those that a pattern
   leaves out, in the order that begins elsewhere for a mover with another turn.
   grain: one row per mover that has such a target
   in: mover_keys, target_keys and words (see methods/hybrid/left_out)
   out: (node, grp, place in the order as the mover sees it) #}
SELECT m.node, m.grp, MIN(MOD(t.place + m.turn, t.places)) AS closest
FROM mover_keys AS m
JOIN target_keys AS t
    ON t.pool = m.pool
    {{ words | each('AND t.b$ = m.b$') }}
    AND t.surplus >= m.need
GROUP BY m.node, m.grp
ORDER BY m.node, m.grp
