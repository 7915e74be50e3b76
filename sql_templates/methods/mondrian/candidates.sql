{# The attributes along which a part may be cut: its widest ones, all of them where those could not
   be cut.
   grain: one row per part and attribute
   in: parts, attributes, sizes {index: how many values it has}, most (how many), k (of a promise: a
       part of fewer than twice as many rows has no cut)
   out: table candidates(part, attribute) #}
CREATE TABLE candidates AS
SELECT r.part, r.attribute
FROM (
    SELECT
        w.part, w.attribute, w.stuck,
        ROW_NUMBER() OVER (PARTITION BY w.part ORDER BY w.width DESC NULLS LAST,
            w.attribute NULLS LAST) AS rank
    FROM (
    {% for a in attributes %}
        SELECT
            p.part,
            # AS attribute,
            p.stuck,
            CAST(p.hi# - p.lo# AS DOUBLE) * CAST({{ a.policy.weight | literal }} AS DOUBLE)
                / {{ sizes[a.index] | integer }} AS width
        FROM {{ parts | ident }} AS p
        WHERE p.hi# > p.lo# AND p.n >= 2 * {{ k | integer }}
        {% if not loop.last %}UNION ALL{% endif +%}
    {% endfor %}
    ) AS w
) AS r
WHERE r.rank <= {{ most | integer }} OR r.stuck = 1
