{# How many rows of each class have each value of a column, beside the rows of the class.
   in: table, keys, index (the column's), promise
   out: a SELECT of (keys, own_code, own_n, own_rows; own_people that match, where the promise is
       about these) #}
SELECT
    {{ keys | idents('g') }}, g.own_code, g.own_n,
    {% if promise.matching %}
    g.own_people,
    {% endif %}
    CAST(SUM(g.own_n) OVER (PARTITION BY {{ keys | idents('g') }}) AS DOUBLE) AS own_rows
FROM (
    SELECT
        {{ keys | idents('t') }},
        t.x{{ index | integer }} AS own_code,
        {% if promise.matching %}
        MAX(t.own_people) AS own_people,
        {% endif %}
        CAST(SUM(t.n) AS BIGINT) AS own_n
    FROM {{ table | ident }} AS t
    WHERE t.n > 0
    GROUP BY {{ keys | idents('t') }}, t.x{{ index | integer }}
) AS g
