{# Rows of a table that are stored behind a row that they are to be stored before.
   grain: one row
   in: table, keys (see macros), stored (the engine's template of a row's place)
   out: the number of these rows #}
{% from 'verification/order/macros.sql' import compared %}
SELECT CAST(COUNT(*) AS BIGINT) AS astray
FROM (
    SELECT
        CASE
            WHEN s.place = 1 THEN 0
        {% for _ in keys %}
            {{ loop.index | sql('WHEN s.x# IS NULL AND s.y# IS NOT NULL THEN 1') }}
            {{ loop.index | sql('WHEN s.x# < s.y# THEN 1') }}
            {{ loop.index | sql('WHEN s.x# IS NOT NULL AND s.y# IS NULL THEN 0') }}
            {{ loop.index | sql('WHEN s.x# > s.y# THEN 0') }}
        {% endfor %}
            ELSE 0
        END AS behind
    FROM (
        SELECT
            p.*
        {% for _ in keys %}
            {{ loop.index | sql(', LAG(p.x#) OVER (ORDER BY p.place NULLS FIRST) AS y#') }}
        {% endfor %}
        FROM (
            SELECT
                {% include stored ~ '.sql' %}
                AS place
            {% for key in keys %}
                , {{ compared(key) }} AS x{{ loop.index | integer }}
            {% endfor %}
            FROM {{ table | ident }} AS r
        ) AS p
    ) AS s
) AS t
WHERE t.behind = 1
