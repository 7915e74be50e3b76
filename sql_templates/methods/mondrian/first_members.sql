{# The cells by the places of their values, in the parts to begin with: those that lie apart at the
   highest levels that may be released.
   grain: one row per cell (and promise.extras)
   in: cells, parts_0, dim_<index>, places, attributes, promise, relaxed
   out: table members_0(part, p1 … pn, first and last when relaxed: which of the cell's rows,
       promise.extras, promise.weights) #}
CREATE TABLE members_0 AS
SELECT
    q.part
    {{ attributes | each(', CAST(t#.place AS INTEGER) AS p#') }}
{% if relaxed %}
    , CAST(1 AS BIGINT) AS first
    , c.n AS last
{% endif %}
    {{ (promise.extras + promise.weights) | each(', c.@') }}
FROM cells AS c
{{ attributes | each(
    'JOIN places AS t# ON t#.attribute = # AND t#.code = c.c# JOIN dim_# AS d# ON d#.code = c.c#'
) }}
JOIN parts_0 AS q
    ON
    {% for a in attributes %}
        q.g# = d#.g{{ a.max_level | integer }}
        {% if not loop.last %}AND{% endif +%}
    {% endfor %}
