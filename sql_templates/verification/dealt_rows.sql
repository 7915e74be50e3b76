{# Where the rows of a table are not those that were dealt to groups or buckets, as multisets of
   whole rows.
   grain: one row
   in: dealt (a relation), names {position: the column of it}, released, table
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import expected %}
WITH expected AS (
    SELECT
    {% for r in released %}
        {{ expected(r, ['x', names[r.position]]) }} AS r{{ r.position | integer }},
    {% endfor %}
        1 AS n
    FROM {{ dealt | ident }} AS x
),
{% include 'verification/surplus.sql' %}
