{# The classes that what is left of the cells has at a node, those that keep the promise.
   grain: one row per class
   in: table (of cells), levels {index: level}, attributes, keys (g1 … gn), promise, after (the
       greatest number of a group so far)
   out: table kept(grp, n, g1 … gn) #}
{% from 'methods/cells/macros.sql' import code %}
CREATE TABLE kept AS
WITH rolled_up AS (
    SELECT
    {% for a in attributes %}
        {{ code(a, levels) }} AS g#,
    {% endfor %}
        {{ promise.extras | each('t.@,') }}
        {{ promise.weights | listed('CAST(SUM(t.@) AS BIGINT) AS @') }}
    FROM {{ table | ident }} AS t
    GROUP BY
    {% for a in attributes %}
        {{ code(a, levels) }}{% if promise.extras or not loop.last %},{% endif +%}
    {% endfor %}
        {{ promise.extras | idents('t') }}
)
SELECT
    {{ after | integer }}
        + ROW_NUMBER() OVER (ORDER BY {{ keys | listed('x.@ NULLS FIRST') }}) AS grp,
    x.n,
    {{ keys | idents('x') }}
FROM (
    {% with table = 'rolled_up' %}{% include 'privacy/classes.sql' %}{% endwith +%}
) AS x
WHERE x.ok
