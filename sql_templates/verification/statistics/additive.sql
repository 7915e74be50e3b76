{# A published table along one dimension: whether every level of it has the same cells beside any
   cells of the others, and whether they add up to the total, up to what rounding each value by a
   half makes.
   grain: one row
   in: table, dimension, others (dimensions), finest (its least level), measures (name, and unit: what
       values count in; of those that add up)
   out: levels that lack cells, then of every measure those that do not add up #}
{% from 'verification/statistics/macros.sql' import beside %}
SELECT
    CAST(COUNT(CASE WHEN r.fewest <> r.most OR r.levels <> r.top - {{ finest | integer }} + 1
        THEN 1 END) AS BIGINT) AS lacking
{% for m in measures %}
    , CAST(COUNT(CASE WHEN {{ ['r', 'q' ~ loop.index] | ident }} IS NULL
        OR ABS({{ ['r', 's' ~ loop.index] | ident }} - {{ ['r', 'q' ~ loop.index] | ident }})
            > (r.many + 1) * {{ m.unit | number }} * 0.5 + 0.0000001
        THEN 1 END) AS BIGINT) AS {{ ('off' ~ loop.index) | ident }}
{% endfor %}
FROM (
    SELECT
        p.many,
        p.top,
        MIN(p.many) OVER (PARTITION BY p.of_level) AS fewest,
        MAX(p.many) OVER (PARTITION BY p.of_level) AS most,
    {% for m in measures %}
        {{ ['p', 's' ~ loop.index] | ident }},
        MAX(CASE WHEN p.of_level = p.top THEN {{ ['p', 's' ~ loop.index] | ident }} END)
            OVER ({{ beside(others) }}) AS {{ ('q' ~ loop.index) | ident }},
    {% endfor %}
        COUNT(*) OVER ({{ beside(others) }}) AS levels
    FROM (
        SELECT
        {% for d in others %}
            {{ ['t', d] | ident }} AS {{ ('k' ~ loop.index) | ident }},
            {{ ['t', d ~ '_level'] | ident }} AS {{ ('l' ~ loop.index) | ident }},
        {% endfor %}
        {% for m in measures %}
            SUM({{ ['t', m.name] | ident }}) AS {{ ('s' ~ loop.index) | ident }},
        {% endfor %}
            COUNT(*) AS many,
            (SELECT MAX({{ ['u', dimension ~ '_level'] | ident }}) FROM {{ table | ident }} AS u) AS top,
            {{ ['t', dimension ~ '_level'] | ident }} AS of_level
        FROM {{ table | ident }} AS t
        GROUP BY
        {% for d in others %}
            {{ ['t', d] | ident }},
            {{ ['t', d ~ '_level'] | ident }},
        {% endfor %}
            {{ ['t', dimension ~ '_level'] | ident }}
    ) AS p
) AS r
