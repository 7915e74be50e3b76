{# The released rows of a full-domain generalization, of codes that are in order already.
   grain: one row per released row
   in: table (of engines/duckdb/narrow_rows), attributes, released (see release/rows),
       dim_<index>, levels {index: level}, masked, links
   out: a SELECT of the released columns, in the table's order where joins keep the sides that they
       are written with (engines/duckdb/join_sides) #}
SELECT
{% for r in released %}
    {% if r.kind == 'kept' or r.position in links %}
    {% if masked and r.hidden and not r.replaced %}CASE WHEN k.present THEN{% endif +%}
        k.r{{ r.position | integer }}
    {% if masked and r.hidden and not r.replaced %}END{% endif +%}
    {% else %}
    {% set level = levels[r.attribute.index] %}
    {% if masked %}
    CASE WHEN NOT k.present THEN {% if r.kind == 'label' %}'*'{% else %}NULL{% endif %} ELSE
    {% endif %}
    {% if r.kind != 'label' %}
    l{{ r.attribute.index | integer }}.{{ r.kind | ident }}
    {% elif r.attribute.null_labels is not none and r.attribute.null_labels[level] is not none %}
    COALESCE(l{{ r.attribute.index | integer }}.label, {{ r.attribute.null_labels[level] | literal }})
    {% else %}
    l{{ r.attribute.index | integer }}.label
    {% endif %}
    {% if masked %}END{% endif %}
    {% endif %}
        AS {{ r.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS k
{% for a in attributes %}
LEFT JOIN (
    SELECT DISTINCT
        d.g{{ levels[a.index] | integer }} AS code,
        d.v{{ levels[a.index] | integer }} AS label
    {% for r in released if r.kind in ('lo', 'hi') and r.attribute.index == a.index %}
        , d.{{ (r.kind ~ levels[a.index]) | ident }} AS {{ r.kind | ident }}
    {% endfor %}
    FROM dim_# AS d
) AS l# ON l#.code = k.c#
{% endfor %}
