{# The cells by the places of their values, in the parts to begin with: those that lie apart at the
   highest levels that may be released.
   grain: one row per cell (and promise.extras)
   in: cells, parts_0, dim_<index>, places, attributes, promise, relaxed
   out: table members_0(part, p1 … pn, first and last when relaxed: which of the cell's rows,
       promise.extras, promise.weights) #}
CREATE TABLE members_0 AS
SELECT
    q.part
    {{ attributes | each(', t#.place AS p#') }}
{% if relaxed %}
    , CAST(1 AS BIGINT) AS first
    , c.n AS last
{% endif %}
    {{ (promise.extras + promise.weights) | each(', c.@') }}
FROM cells AS c
{% for a in attributes %}
JOIN (
    SELECT p.code, CAST(p.place AS INTEGER) AS place, d.g{{ a.max_level | integer }} AS top
    FROM places AS p
    JOIN dim_# AS d ON d.code = p.code
    WHERE p.attribute = #
) AS t# ON t#.code = c.c#
{% endfor %}
JOIN parts_0 AS q ON {{ attributes | each('q.g# = t#.top', ' AND ') }}
    {{ promise.within | each('AND q.x# = c.x#') }}
