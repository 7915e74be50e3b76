{# The classes of each recoding and whether they keep the promise.
   grain: one row per node and combination of the parts
   in: coded, table, parts (columns of coded), lost (its column for what a row loses then), promise
   out: table <table>(node, the parts, lost, n, ok) #}
CREATE TABLE {{ table | ident }} AS
WITH rolled AS (
    SELECT
        t.node
        {{ parts | each(', t.@') }}
        , t.{{ lost | ident }} AS lost
        {{ promise.extras | each(', t.@') }}
        {{ promise.weights | each(', CAST(SUM(t.@) AS BIGINT) AS @') }}
    FROM {{ coded | ident }} AS t
    GROUP BY
        t.node
        {{ parts | each(', t.@') }}
        , t.{{ lost | ident }}
        {{ promise.extras | each(', t.@') }}
)
SELECT x.*
FROM (
    {% with table = 'rolled', keys = ['node'] + parts + ['lost'] %}
    {% include 'privacy/classes.sql' +%}
    {% endwith %}
) AS x
