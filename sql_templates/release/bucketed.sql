{# The released rows of local generalization and bucketization, numbered at
   random.
   grain: one row per released row
   in: bucketed (grp, group_id, k<number>, b<index>), groups(grp, v<i>, lo<i>, hi<i>), released,
       numbers {position: the number of a kept column, the index of a bucketized one}, fresh_salt
   out: the released columns #}
{% from 'release/macros.sql' import replacement %}
SELECT
{% for r in released %}
    {% if r.replaced %}
    {{ replacement(r, ['o', 'k' ~ numbers[r.position]], none) }} AS {{ r.name | ident }}
    {% elif r.kind == 'record' %}
    ROW_NUMBER() OVER (ORDER BY o.lot NULLS FIRST) AS {{ r.name | ident }}
    {% elif r.kind == 'group' %}
    o.group_id AS {{ r.name | ident }}
    {% elif r.kind == 'bucket' %}
    o.b{{ numbers[r.position] | integer }} AS {{ r.name | ident }}
    {% elif r.kind == 'kept' %}
    o.k{{ numbers[r.position] | integer }} AS {{ r.name | ident }}
    {% elif r.kind == 'label' %}
    x.v{{ r.attribute.index | integer }} AS {{ r.name | ident }}
    {% else %}
    x.{{ (r.kind ~ r.attribute.index) | ident }} AS {{ r.name | ident }}
    {% endif %}
    {% if not loop.last %},{% endif +%}
{% endfor %}
FROM (
    SELECT
        b.*,
        MD5((SELECT z.salt FROM fresh_salt AS z) || CAST(ROW_NUMBER() OVER () AS VARCHAR)) AS lot
    FROM bucketed AS b
) AS o
JOIN groups AS x ON x.grp = o.grp
