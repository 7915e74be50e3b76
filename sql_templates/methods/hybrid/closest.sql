{# Of every mover the closest target: the one that differs in fewest attributes, and of several the
   first in their order, which begins elsewhere for a mover with another turn.
   grain: one row per mover that has a target
   in: node_groups, movers(node, grp, need, turn, slot), targets(node, grp, surplus, place: from 0,
       places, slot: a mover looks at those of its own), words (see anonsql.methods.hybrid.words), span
       (greater than any place)
   out: (node, grp, differing * span + place in the order as the mover sees it) #}
{% from 'methods/hybrid/macros.sql' import differing %}
SELECT
    m.node, m.grp,
    MIN(CAST({{ differing(words) }} AS BIGINT) * {{ span | integer }}
        + MOD(t.place + m.turn, t.places)) AS closest
FROM movers AS m
JOIN node_groups AS a ON a.node = m.node AND a.grp = m.grp
JOIN targets AS t ON t.node = m.node AND t.slot = m.slot AND t.surplus >= m.need
JOIN node_groups AS b ON b.node = t.node AND b.grp = t.grp
GROUP BY m.node, m.grp
ORDER BY m.node, m.grp
