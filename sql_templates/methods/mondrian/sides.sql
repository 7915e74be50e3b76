{# Both sides of every cut.
   grain: one row per cut, side (0 the lower) and promise.extras
   in: cuts, members (read only where the promise asks for more than rows), attributes, promise
   out: table sides(part, attribute, place, upto, gain, side, promise.extras, promise.weights) #}
CREATE TABLE sides AS
{% if not promise.plain %}
SELECT
    u.part, u.attribute, u.place, u.upto, u.gain, u.side
    {{ promise.extras | each(', u.@') }}
    {{ promise.weights | each(', CAST(SUM(u.@) AS BIGINT) AS @') }}
FROM (
    SELECT
        k.part, k.attribute, k.place, k.upto, k.gain,
        CASE WHEN CASE k.attribute
            {{ attributes | each('WHEN # THEN m.p#') }}
        END <= k.place THEN 0 ELSE 1 END AS side
        {{ (promise.extras + promise.weights) | each(', m.@') }}
    FROM cuts AS k
    JOIN {{ members | ident }} AS m ON m.part = k.part
) AS u
GROUP BY u.part, u.attribute, u.place, u.upto, u.gain, u.side{{ promise.extras | each(', u.@') }}
{% else %}
SELECT k.part, k.attribute, k.place, k.upto, k.gain, 0 AS side, k.below AS n
FROM cuts AS k
UNION ALL
SELECT k.part, k.attribute, k.place, k.upto, k.gain, 1 AS side, k.above AS n
FROM cuts AS k
{% endif %}
