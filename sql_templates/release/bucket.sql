{# The withheld values of each bucket of a column and how many of its cells have them, in an order
   that only a secret salt knows.
   grain: one row per bucket and value
   in: bucketed (see methods/local/buckets/bucketed), index, titles (of the three columns), own (the
       second of
       them; a decimal keeps its digits, which joins on PostgreSQL forget), fresh_salt, ordering
   out: those columns and the ordering #}
SELECT
    v.bucket AS {{ titles[0] | ident }},
    {% if own.kind == 'decimal' and not own.unbounded %}CAST(v.s AS {{ own.type | sql_type }})
        {% else %}v.s{% endif %} AS {{ titles[1] | ident }},
    v.n AS {{ titles[2] | ident }},
    MD5((SELECT z.salt FROM fresh_salt AS z) || CAST(ROW_NUMBER() OVER () AS VARCHAR))
        AS {{ ordering | ident }}
FROM (
    {{ index | sql('SELECT t.b# AS bucket, t.s# AS s, CAST(COUNT(*) AS BIGINT) AS n') }}
    FROM bucketed AS t
    WHERE t.w{{ index | integer }} = 1
    {{ index | sql('GROUP BY t.b#, t.s#') }}
) AS v
