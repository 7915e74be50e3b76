{# The cells with the codes of their groups at every level that may be released.
   grain: one row per cell (and promise.extras)
   in: cells, dim_<index>, attributes, promise, assigned and before (leave out the cells of groups
       before that, 0: none), into
   out: table <into>(c1 … cn, promise.extras, promise.weights, g<i>_<level> above the least level)
       #}
CREATE TABLE {{ into | ident }} AS
SELECT
    {{ (promise.extras + promise.weights) | idents('t') }}
{% for a in attributes %}
    , t.c#
    {% for level in range(a.min_level + 1, a.max_level + 1) %}
    , d#.g{{ level | integer }}
        AS g#_{{ level | integer }}
    {% endfor %}
{% endfor %}
FROM cells AS t
{{ attributes | each('JOIN dim_# AS d# ON d#.code = t.c#') }}
{% if before %}
LEFT JOIN assigned AS p
    ON {{ attributes | each('p.c# = t.c# AND') }} p.grp < {{ before | integer }}
WHERE p.grp IS NULL
{% endif %}
