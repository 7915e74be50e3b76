{# What every open region would be cut into along each attribute: the children of its node there
   that have rows.
   grain: one row per region, attribute, child and promise.extras
   in: members, parts, steps, nodes, attributes, promise
   out: table children(part, attribute, level of the children, variant, slot: the child, worth:
       leaves that a row sheds, domain: all leaves, promise.extras, promise.weights) #}
CREATE TABLE children AS
{% for a in attributes %}
SELECT
    x.part,
    # AS attribute,
    s.level,
    0 AS variant,
    s.up AS slot,
    above.leaves - below.leaves AS worth,
    below.domain,
    {{ promise.extras | each('x.@,') }}
    {{ promise.weights | listed('CAST(SUM(x.@) AS BIGINT) AS @') }}
FROM (
    SELECT
        m.part,
        m.c# AS code,
        {{ promise.extras | each('m.@,') }}
        {{ promise.weights | listed('SUM(m.@) AS @') }}
    FROM {{ members | ident }} AS m
    GROUP BY m.part, m.c#{{ promise.extras | each(', m.@') }}
) AS x
JOIN {{ parts | ident }} AS p ON p.part = x.part
JOIN steps AS s ON s.attribute = # AND s.level = p.l# - 1 AND s.code = x.code
JOIN nodes AS below ON below.attribute = # AND below.level = s.level AND below.code = s.up
JOIN nodes AS above ON above.attribute = # AND above.level = p.l# AND above.code = p.g#
GROUP BY x.part, s.level, s.up, above.leaves, below.leaves,
    below.domain{{ promise.extras | each(', x.@') }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
