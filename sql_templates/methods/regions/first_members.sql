{# The cells of the regions to begin with.
   grain: one row per cell
   in: cells, parts_0, dim_<index>, attributes, promise
   out: table members_0(part, c1 … cn, promise.extras, promise.weights) #}
CREATE TABLE members_0 AS
SELECT
    p.part
    {{ attributes | each(', t.c#') }}
    {{ (promise.extras + promise.weights) | each(', t.@') }}
FROM cells AS t
{{ attributes | each('JOIN dim_# AS d# ON d#.code = t.c#') }}
JOIN parts_0 AS p
    ON
    {% for a in attributes %}
        p.g# = d#.g{{ a.max_level | integer }}
        {% if not loop.last %}AND{% endif +%}
    {% endfor %}
    {{ promise.within | each('AND p.x# = t.x#') }}
