{# Where the released rows are not those with their groups, less the sensitive values, as multisets of whole rows.
   grain: one row
   in: separated, released, table
   out: (distinct rows whose number differs, by how many rows in all) #}
WITH expected AS (
    SELECT
    {% for r in released %}
        {% if r.column.comparable or r.kind != 'kept' %}x.r{{ r.position | integer }}{% else %}CAST(x.r{{ r.position | integer }} AS VARCHAR) AS r{{ r.position | integer }}{% endif %},
    {% endfor %}
        1 AS n
    FROM separated AS x
),
{% include 'verify/surplus.sql' %}
