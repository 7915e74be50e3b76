{# The losses of all combinations of the values of some attributes: see anonsql/search/losses.
   grain: one row per unit, combination of levels, and combination of groups at these levels
   in: path_steps, units, keys
   out: table unit_losses(unit, levels: number of their combination, keys, loss: the part of a row's
       mean loss that the unit's attributes contribute) #}
CREATE TABLE unit_losses AS
{% for unit in units %}
SELECT
    {{ unit.index | integer }} AS unit,
    CAST(0
    {% for a, factor, share in unit.terms %}
        + s#.level * {{ factor | integer }}
    {% endfor %}
    AS BIGINT) AS levels,
{% for key in keys %}
    CAST(0 AS BIGINT)
    {% for a in unit.attributes %}
        + s#.{{ key | ident }}
    {% endfor %}
    AS {{ key | ident }},
{% endfor %}
    CAST(0 AS DOUBLE)
    {% for a, factor, share in unit.terms %}
        + s#.loss * CAST({{ share | literal }} AS DOUBLE)
    {% endfor %}
    AS loss
FROM
{{ unit.attributes | each('path_steps AS s#', ' CROSS JOIN ') }}
WHERE {{ unit.attributes | each('s#.attribute = #', ' AND ') }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
