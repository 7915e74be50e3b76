{# The classes that keep the promise by the cells that have picked them. The one of least loss is
   always among them, for all that it is offered to pick it.
   grain: one row per class
   in: picks, keys (way, k1 … km), promise, after (the greatest number of a group so far)
   out: table made(grp, keys) #}
CREATE TABLE made AS
WITH rolled AS (
    SELECT
        {{ (keys + promise.extras) | idents('r') }},
        {{ promise.weights | listed('CAST(SUM(r.@) AS BIGINT) AS @') }}
    FROM picks AS r
    GROUP BY {{ (keys + promise.extras) | idents('r') }}
)
SELECT
    {{ after | integer }}
        + ROW_NUMBER() OVER (ORDER BY {{ keys | listed('x.@ NULLS FIRST') }}) AS grp,
    {{ keys | idents('x') }}
FROM (
    {% with table = 'rolled' %}{% include 'privacy/classes.sql' %}{% endwith +%}
) AS x
WHERE x.ok
