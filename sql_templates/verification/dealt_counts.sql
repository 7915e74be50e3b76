{# Where the released counts of values by group or bucket are not those of the rows that were dealt
   to them.
   grain: one row
   in: dealt (a relation), bucket, value (its columns), withheld (that which is 1 where the value is
       to be told, or none: everywhere), released (bucket, value, count), table
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import compared %}
WITH expected AS (
    SELECT
        x.{{ bucket | ident }} AS r1,
        {{ compared(released[1], ['x', value]) }} AS r2,
        CAST(COUNT(*) AS BIGINT) AS r3,
        1 AS n
    FROM {{ dealt | ident }} AS x
    {% if withheld %}
    WHERE x.{{ withheld | ident }} = 1
    {% endif %}
    GROUP BY x.{{ bucket | ident }}, x.{{ value | ident }}
),
{% include 'verification/surplus.sql' %}
