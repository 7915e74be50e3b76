{# The released rows of a method that assigns cells to groups, of rows that are in order already.
   grain: one row per released row
   in: table (of engines/duckdb/narrow_groups), groups (grp, v<i>, lo<i>, hi<i>), released (see
       release/rows), masked
   out: a SELECT of the released columns, in the table's order where joins keep the sides that they
       are written with (engines/duckdb/join_sides) #}
SELECT
{% for r in released %}
    {% if r.kind == 'kept' and masked and r.hidden and not r.replaced %}
    CASE WHEN x.grp IS NOT NULL THEN k.r{{ r.position | integer }} END
    {% elif r.kind == 'kept' %}
    k.r{{ r.position | integer }}
    {% elif r.kind == 'label' and masked %}
    CASE WHEN x.grp IS NULL THEN '*' ELSE x.v{{ r.attribute.index | integer }} END
    {% elif r.kind == 'label' %}
    x.v{{ r.attribute.index | integer }}
    {% else %}
    x.{{ (r.kind ~ r.attribute.index) | ident }}
    {% endif %}
        AS {{ r.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS k
{% if masked %}LEFT {% endif %}JOIN groups AS x ON x.grp = k.grp
