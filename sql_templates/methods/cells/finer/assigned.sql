{# grain: one row per cell of a group
   in: placed, stock, attributes, promise
   out: table assigned(c1 … cn, grp) #}
CREATE TABLE assigned AS
SELECT {% if promise.extras %}DISTINCT{% endif +%}
{% for a in attributes %}
    t.g#_{{ a.min_level | integer }} AS c#,
{% endfor %}
    p.grp
FROM placed AS p
JOIN stock AS t ON t.cell = p.cell
