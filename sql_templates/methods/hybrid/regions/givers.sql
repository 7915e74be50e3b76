{# The region from which each of some takes the rows that it needs: where the rows nearest to it
   need fewest cells changed, then the nearest one lies least far outside, of those the first after
   a turn.
   grain: one row per region that takes, if there is one that has enough
   in: movers(mover, place: from 0, rows), targets(target, place: from 0, surplus), pairs(mover,
       target) when paired, spots, boxes, attributes, forms, sizes {index: how many values it has},
       total (of the weights), paired, steps (of a distance), many (how many targets), turn, stride
       and offset (one of so many targets is looked at, from which one on; not when paired)
   out: (mover, key: ((cells that change) * steps + distance) * many + place of the target, turned)
       #}
{% from 'methods/hybrid/regions/macros.sql' import distance, outside %}
SELECT x.mover,
    MIN((x.cells * {{ steps | integer }} + x.far) * {{ many | integer }} + x.turned) AS key
FROM (
    SELECT
        w.mover, w.turned,
        w.far % {{ steps | integer }} AS far,
        0
    {% for _ in attributes %}
        {% set most = loop.index %}
        + {{ most | integer }}
            * LEAST(GREATEST(w.rows {{ range(most) | each('- w.r#') }}, 0), w.r{{ most | integer }})
    {% endfor %} AS cells
    FROM (
        SELECT
            v.mover, v.turned, v.rows,
            MIN(v.outside * {{ steps | integer }} + v.distance) AS far
            , CAST(SUM(CASE WHEN v.outside = 0 THEN v.n ELSE 0 END) AS BIGINT) AS r0
            {{ attributes | each(
                ', CAST(SUM(CASE WHEN v.outside = $ THEN v.n ELSE 0 END) AS BIGINT) AS r$'
            ) }}
        FROM (
            SELECT
                o.mover, o.rows,
                (t.place + o.place * {{ turn | integer }}) % {{ many | integer }} AS turned,
                s.n,
                {{ outside(attributes, forms) }} AS outside,
                CAST(FLOOR(({{ distance(attributes, forms, sizes) }})
                    / CAST({{ total | literal }} AS DOUBLE)
                    * ({{ steps | integer }} - 1)) AS BIGINT) AS distance
            FROM movers AS o
            JOIN boxes AS b ON b.part = o.mover
            {% if paired %}
            JOIN pairs AS q ON q.mover = o.mover
            JOIN targets AS t ON t.target = q.target AND t.surplus >= o.rows
            {% else %}
            JOIN targets AS t ON t.surplus >= o.rows
                AND t.place % {{ stride | integer }} = {{ offset | integer }}
            {% endif %}
            JOIN spots AS s ON s.part = t.target
        ) AS v
        GROUP BY v.mover, v.rows, v.turned
    ) AS w
) AS x
GROUP BY x.mover
ORDER BY x.mover
