{# The keys of groups without the attributes that a pattern leaves out. A table of its own: inside
   the join of two such DuckDB 2.0.0 fails with an internal error.
   in: relation (node, grp and columns), columns, node_groups, patterns(pattern, o<index>: 1 where
       the attribute is left out, else 0), keys [(name, [(attribute, mask)])], table
   out: the table (node, grp, columns, pattern, keys) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    x.node, x.grp,
    {{ columns | idents('x') }},
    p.pattern
{% for key, parts in keys %}
    , g.{{ key | ident }}
    {% for a, mask in parts %}
        - p.o# * (g.{{ key | ident }} & CAST({{ mask | integer }} AS BIGINT))
    {% endfor %}
        AS {{ key | ident }}
{% endfor %}
FROM {{ relation | ident }} AS x
JOIN node_groups AS g ON g.node = x.node AND g.grp = x.grp
CROSS JOIN patterns AS p
