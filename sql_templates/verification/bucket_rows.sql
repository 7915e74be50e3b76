{# Where the rows with their buckets are not those that were to be dealt, as multisets of whole
   rows.
   grain: one row
   in: local_rows, released (its columns by name), table (bucketed)
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import compared %}
WITH expected AS (
    SELECT
    {% for r in released %}
        {{ compared(r, ['x', r.name]) }} AS r{{ r.position | integer }},
    {% endfor %}
        1 AS n
    FROM local_rows AS x
),
{% include 'verification/surplus.sql' %}
