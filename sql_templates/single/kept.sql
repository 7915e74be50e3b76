{# The classes of one recoding that keep the promise, numbered.
   grain: one row per class
   in: classes (table: node, r1 … rn, n, ok), attributes, node
   out: table kept(grp, n, r1 … rn) #}
CREATE TABLE kept AS
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY {% for a in attributes %}x.r{{ a.index | integer }} NULLS FIRST{% if not loop.last %}, {% endif %}{% endfor %}) AS INTEGER) AS grp,
    x.n
{% for a in attributes %}
    , x.r{{ a.index | integer }}
{% endfor %}
FROM {{ classes | ident }} AS x
WHERE x.node = {{ node | integer }} AND x.ok
