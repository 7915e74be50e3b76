{# The region that is closest to each of some that leave theirs whole: where fewest cells have to be
   changed, then where the values lie least far outside, of those the first after a turn.
   grain: one row per mover
   in: movers(mover, place: from 0, rows), targets(target, place: from 0), pairs(mover, target) when
       paired, spots, boxes, attributes, forms, sizes {index: how many values it has}, total (of the
       weights), paired, steps (of a distance), many (how many targets), turn, stride and offset
       (one of so many targets is looked at, from which one on; not when paired)
   out: (mover, key: ((cells that change) * steps + distance) * many + place of the target, turned)
       #}
{% from 'methods/hybrid/regions/macros.sql' import distance, outside %}
SELECT x.mover,
    MIN(((x.cells * {{ steps | integer }}) + x.far) * {{ many | integer }} + x.turned) AS key
FROM (
    SELECT
        u.mover, u.turned,
        CAST(SUM(u.n * u.outside) AS BIGINT) AS cells,
        CAST(FLOOR(SUM(u.n * u.distance) / SUM(u.n) / CAST({{ total | literal }} AS DOUBLE)
            * ({{ steps | integer }} - 1)) AS BIGINT) AS far
    FROM (
        SELECT
            o.mover,
            (t.place + o.place * {{ turn | integer }}) % {{ many | integer }} AS turned,
            s.n,
            {{ outside(attributes, forms) }} AS outside,
            {{ distance(attributes, forms, sizes) }} AS distance
        FROM movers AS o
        JOIN spots AS s ON s.part = o.mover
        {% if paired %}
        JOIN pairs AS q ON q.mover = o.mover
        JOIN targets AS t ON t.target = q.target
        {% else %}
        JOIN targets AS t ON t.place % {{ stride | integer }} = {{ offset | integer }}
        {% endif %}
        JOIN boxes AS b ON b.part = t.target
    ) AS u
    GROUP BY u.mover, u.turned
) AS x
GROUP BY x.mover
ORDER BY x.mover
