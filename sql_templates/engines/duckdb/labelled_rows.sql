{# The released rows of a full-domain generalization, of codes that are in order already.
   grain: one row per released row
   in: table (of engines/duckdb/narrow_rows), attributes, released (see release/rows),
       dim_<index>, levels {index: level}, masked, links
   out: a SELECT of the released columns, in the table's order where joins keep the sides that they
       are written with (engines/duckdb/join_sides) #}
{% from 'release/macros.sql' import generalized %}
SELECT
{% for r in released %}
    {% if r.kind == 'kept' or r.position in links %}
    k.r{{ r.position | integer }}
    {% else %}
    {{ generalized(r, levels[r.attribute.index], ['k', 'present'] if masked else none) }}
    {% endif %}
        AS {{ r.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS k
{% for a in attributes %}
LEFT JOIN (
    SELECT DISTINCT
        e.g{{ levels[a.index] | integer }},
        e.v{{ levels[a.index] | integer }}
    {% for r in released if r.kind in ('lo', 'hi') and r.attribute.index == a.index %}
        , e.{{ (r.kind ~ levels[a.index]) | ident }}
    {% endfor %}
    FROM dim_# AS e
) AS d# ON d#.g{{ levels[a.index] | integer }} = k.c#
{% endfor %}
