{# The cells as points: where a value lies in a range that is as long as the column's weight, or the
   place of a value that is released as a node. What is no number (NULL) lies so far from all else
   that nothing but the whole range holds both.
   grain: one row per cell
   in: spots, places, attributes, forms {index: 'range' or another}
   out: table open_0(id, part, n, stuck: 0, y1 … yn) #}
CREATE TABLE open_0 AS
SELECT
    s.id, s.part, s.n,
    0 AS stuck
{% for a in attributes %}
    {% if forms[a.index] == 'range' %}
    , CASE
        WHEN t#.x IS NULL THEN (2 + t#.place) * t#.whole
        ELSE (t#.x - t#.least) * t#.unit
    END AS y#
    {% else %}
    , s.p# AS y#
    {% endif %}
{% endfor %}
FROM spots AS s
{% for a in attributes if forms[a.index] == 'range' %}
JOIN (
    SELECT u.place, u.x, u.unit, u.whole, MIN(u.x) OVER () AS least
    FROM places AS u
    WHERE u.attribute = #
) AS t# ON t#.place = s.p#
{% endfor %}
