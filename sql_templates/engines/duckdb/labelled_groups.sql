{# The released rows of a method that assigns cells to groups, of rows that are in order already.
   grain: one row per released row
   in: table (of engines/duckdb/narrow_groups), groups (grp, v<i>, lo<i>, hi<i>), averages (of
       release/averages, where there are any), released (see release/rows), masked
   out: a SELECT of the released columns, in the table's order where joins keep the sides that they
       are written with (engines/duckdb/join_sides) #}
{% from 'release/macros.sql' import of_group %}
SELECT
{% for r in released %}
    {% if r.kind == 'kept' %}
    k.r{{ r.position | integer }}
    {% else %}
    {{ of_group(r, masked) }}
    {% endif %}
        AS {{ r.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS k
{% if masked %}LEFT {% endif %}JOIN groups AS x ON x.grp = k.grp
{% for r in released if r.averaged %}
{% if loop.first %}
LEFT JOIN averages AS y ON y.grp = k.grp
{% endif %}
{% endfor %}
