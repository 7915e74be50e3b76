{# Of every mover the first target that agrees with it in all attributes but those that a pattern
   leaves out, in the order that begins elsewhere for a mover with another turn. All patterns are
   joined, by their number: where keys come from a CROSS JOIN, DuckDB 2.0.0 fails with an internal
   error.
   grain: one row per mover that has such a target
   in: movers (see methods/hybrid/closest), target_keys, and what methods/hybrid/left_out takes
   out: (node, grp, place in the order as the mover sees it) #}
SELECT m.node, m.grp, MIN(MOD(t.place + m.turn, t.places)) AS closest
FROM (
    SELECT
        x.node, x.grp, x.need, x.turn,
        (x.node * {{ slots | integer }} + x.slot) * {{ count | integer }} + p.pattern AS pool
        {{ words | each(', g.b$ & p.m$ AS b$') }}
    FROM movers AS x
    JOIN node_groups AS g ON g.node = x.node AND g.grp = x.grp
    JOIN patterns AS p ON p.many = x.many
) AS m
JOIN target_keys AS t
    ON t.pool = m.pool
    {{ words | each('AND t.b$ = m.b$') }}
    AND t.surplus >= m.need
GROUP BY m.node, m.grp
ORDER BY m.node, m.grp
