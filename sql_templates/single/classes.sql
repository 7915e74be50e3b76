{# The classes of each recoding and whether they keep the promise.
   grain: one row per node and combination of the parts
   in: coded, table, parts (columns of coded), lost (its column for what a row loses then), promise
   out: table <table>(node, the parts, lost, n, ok) #}
CREATE TABLE {{ table | ident }} AS
WITH rolled AS (
    SELECT
        t.node
    {% for part in parts %}
        , t.{{ part | ident }}
    {% endfor %}
        , t.{{ lost | ident }} AS lost
    {% for extra in promise.extras %}
        , t.{{ extra | ident }}
    {% endfor %}
    {% for weight in promise.weights %}
        , CAST(SUM(t.{{ weight | ident }}) AS BIGINT) AS {{ weight | ident }}
    {% endfor %}
    FROM {{ coded | ident }} AS t
    GROUP BY
        t.node
    {% for part in parts %}
        , t.{{ part | ident }}
    {% endfor %}
        , t.{{ lost | ident }}
    {% for extra in promise.extras %}
        , t.{{ extra | ident }}
    {% endfor %}
)
SELECT x.*
FROM (
    {% with table = 'rolled', keys = ['node'] + parts + ['lost'] %}{% include 'models/classes.sql' %}{% endwith +%}
) AS x
