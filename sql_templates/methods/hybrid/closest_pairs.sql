{# Of every mover the closest of the targets that it is paired with: the one that differs in fewest
   attributes, of several the first one.
   grain: one row per mover
   in: node_groups, pairs(node, grp, target, place: from 0), words (see
       anonsql.methods.hybrid.words), span (greater than any place)
   out: (node, grp, differing * span + place) #}
{% from 'methods/hybrid/macros.sql' import differing %}
SELECT
    m.node, m.grp,
    MIN(CAST({{ differing(words) }} AS BIGINT) * {{ span | integer }}
        + m.place) AS closest
FROM pairs AS m
JOIN node_groups AS a ON a.node = m.node AND a.grp = m.grp
JOIN node_groups AS b ON b.node = m.node AND b.grp = m.target
GROUP BY m.node, m.grp
ORDER BY m.node, m.grp
