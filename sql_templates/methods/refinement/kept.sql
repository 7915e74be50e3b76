{# The classes of one recoding that keep the promise, numbered.
   grain: one row per class
   in: classes (table: node, r1 … rn, n, ok), attributes, node
   out: table kept(grp, n, r1 … rn) #}
CREATE TABLE kept AS
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY {{ attributes | listed('x.r# NULLS FIRST') }}) AS INTEGER)
        AS grp,
    x.n
    {{ attributes | each(', x.r#') }}
FROM {{ classes | ident }} AS x
WHERE x.node = {{ node | integer }} AND x.ok
