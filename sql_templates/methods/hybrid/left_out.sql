{# The codes of targets without those of the attributes that a pattern leaves out, by the node and
   slot that they are looked for in.
   in: targets(node, grp, surplus, place, places, slot), node_groups,
       patterns(pattern, many: how many there are, m1 … mm: the bits that are compared), words (see
       anonsql.methods.hybrid.words), slots (more than there are in any node), count (of patterns)
   out: table target_keys(surplus, place, places, pool: one number for node, slot and pattern,
       b1 … bm) #}
CREATE TABLE target_keys AS
SELECT
    x.surplus, x.place, x.places,
    (x.node * {{ slots | integer }} + x.slot) * {{ count | integer }} + p.pattern AS pool
    {{ words | each(', g.b$ & p.m$ AS b$') }}
FROM targets AS x
JOIN node_groups AS g ON g.node = x.node AND g.grp = x.grp
CROSS JOIN patterns AS p
