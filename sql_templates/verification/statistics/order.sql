{# Rows of a published table that do not lie where their levels and labels, byte by byte, put them.
   grain: one row
   in: table, dimensions, stored (the engine's template of a row's place)
   out: the number of these rows #}
SELECT CAST(COUNT(*) AS BIGINT) AS astray
FROM (
    SELECT
        p.place,
        ROW_NUMBER() OVER (ORDER BY
        {% for d in dimensions %}
            {{ ['p', 'l' ~ loop.index] | ident }} NULLS FIRST,
            {{ ['p', 'k' ~ loop.index] | ident }} COLLATE "C" NULLS FIRST{% if not loop.last %},{% endif +%}
        {% endfor %}
        ) AS due
    FROM (
        SELECT
            {% include stored ~ '.sql' %}
            AS place
        {% for d in dimensions %}
            , {{ ['r', d ~ '_level'] | ident }} AS {{ ('l' ~ loop.index) | ident }}
            , {{ ['r', d] | ident }} AS {{ ('k' ~ loop.index) | ident }}
        {% endfor %}
        FROM {{ table | ident }} AS r
    ) AS p
) AS o
WHERE o.place <> o.due
