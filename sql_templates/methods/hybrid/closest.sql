{# Of every mover the closest target: the one that differs in fewest attributes, and of several the
   first in their order, which begins elsewhere for a mover with another turn.
   grain: one row per mover that has a target
   in: node_groups, movers(node, grp, need, turn, slot, many: how many
       patterns there are), targets(node, grp, surplus, place: from 0,
       places, slot: a mover looks at those of its own), target_keys (see methods/hybrid/left_out,
       by a pattern that leaves out nothing), words (see anonsql.methods.hybrid.words), slots (more
       than there are in any node), span (greater than any place)
   out: (node, grp, differing * span + place in the order as the mover sees it) #}
{% from 'methods/hybrid/macros.sql' import differing %}
SELECT
    m.node, m.grp,
    MIN(CAST({{ differing(words) }} AS BIGINT) * {{ span | integer }}
        + MOD(b.place + m.turn, b.places)) AS closest
FROM movers AS m
JOIN node_groups AS a ON a.node = m.node AND a.grp = m.grp
JOIN target_keys AS b
    ON b.pool = m.node * {{ slots | integer }} + m.slot
    AND b.surplus >= m.need
GROUP BY m.node, m.grp
ORDER BY m.node, m.grp
