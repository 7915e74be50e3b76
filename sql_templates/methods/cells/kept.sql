{# The classes of a node that keep the promise.
   grain: one row per class
   in: table (rolled_up), keys (g1 … gn), promise, after (the greatest number of a group so far)
   out: table kept(grp, n, g1 … gn) #}
CREATE TABLE kept AS
SELECT
    {{ after | integer }}
        + ROW_NUMBER() OVER (ORDER BY {{ keys | listed('x.@ NULLS FIRST') }}) AS grp,
    x.n,
    {{ keys | idents('x') }}
FROM (
    {% include 'privacy/classes.sql' %}
) AS x
WHERE x.ok
