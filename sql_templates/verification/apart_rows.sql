{# Where the released rows are not those with their groups, less the sensitive values, as multisets
   of whole rows.
   grain: one row
   in: separated, released, table
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import compared %}
WITH expected AS (
    SELECT
    {% for r in released %}
        {{ compared(r, ['x', 'r' ~ r.position]) }} AS r{{ r.position | integer }},
    {% endfor %}
        1 AS n
    FROM separated AS x
),
{% include 'verification/surplus.sql' %}
