{# The sensitive values of each group or bucket and how many of its rows have them.
   grain: one row per group or bucket, and value
   in: dealt (rows with their groups, see methods/anatomy/separated, or with their buckets, see
       methods/local/buckets/bucketed), bucket, value (its columns), withheld (that which is 1 where
       the value is told here, or none: everywhere), titles (of the three columns), own (the second
       of them; a decimal keeps its digits, which joins on PostgreSQL forget)
   out: those columns #}
SELECT
    v.bucket AS {{ titles[0] | ident }},
    {% if own.kind == 'decimal' and not own.unbounded %}
    CAST(v.s AS {{ own.type | sql_type }}) AS {{ titles[1] | ident }},
    {% else %}
    v.s AS {{ titles[1] | ident }},
    {% endif %}
    v.n AS {{ titles[2] | ident }}
FROM (
    SELECT
        t.{{ bucket | ident }} AS bucket,
        t.{{ value | ident }} AS s,
        CAST(COUNT(*) AS BIGINT) AS n
    FROM {{ dealt | ident }} AS t
    {% if withheld %}
    WHERE t.{{ withheld | ident }} = 1
    {% endif %}
    GROUP BY t.{{ bucket | ident }}, t.{{ value | ident }}
) AS v
