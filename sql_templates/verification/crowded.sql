{# Rings in which a sensitive value (or a person) is so frequent that somebody could have it (or be the
   owner of a row) with more than the promised probability: what matches a row are as many released rows as a window has, of the same
   ring.
   grain: one row
   in: assigned, windows, rings, models (of the promise: index, bound; or of people: k)
   out: how many rings, by model #}
SELECT COUNT(*) AS wrong
FROM (
{% for model in models %}
    SELECT w.part
    FROM assigned AS p
    JOIN windows AS w ON w.grp = p.grp
    JOIN rings AS r ON r.part = w.part
    GROUP BY w.part, r.length, p.x{{ model.index | integer }}
    HAVING SUM(p.last - p.first + 1) * {{ model.bound | literal }} > r.length
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS f
