{# The codes of groups without those of the attributes that a pattern leaves out. A table of its own:
   inside the join of two such DuckDB 2.0.0 fails with an internal error.
   in: relation (node, grp, slot and columns), columns, node_groups, patterns(pattern, m1 … mm: the
       bits that are compared), words (see anonsql.methods.hybrid.words), slots (more than there are
       in any node), count (of patterns), table
   out: the table (columns, pool: one number for node, slot and pattern, b1 … bm) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    {{ columns | idents('x') }},
    (x.node * {{ slots | integer }} + x.slot) * {{ count | integer }} + p.pattern AS pool
    {{ words | each(', g.b$ & p.m$ AS b$') }}
FROM {{ relation | ident }} AS x
JOIN node_groups AS g ON g.node = x.node AND g.grp = x.grp
CROSS JOIN patterns AS p
