{# The withheld values of each bucket of a column and how many of its cells have them, in an order that only a secret salt knows.
   grain: one row per bucket and value
   in: bucketed (see buckets/bucketed), index, titles (of the three columns), fresh_salt, ordering
   out: those columns and the ordering #}
SELECT
    v.bucket AS {{ titles[0] | ident }},
    v.s AS {{ titles[1] | ident }},
    v.n AS {{ titles[2] | ident }},
    MD5({% include 'release/salt.sql' %} || CAST(ROW_NUMBER() OVER () AS VARCHAR)) AS {{ ordering | ident }}
FROM (
    SELECT t.b{{ index | integer }} AS bucket, t.s{{ index | integer }} AS s, CAST(COUNT(*) AS BIGINT) AS n
    FROM bucketed AS t
    WHERE t.w{{ index | integer }} = 1
    GROUP BY t.b{{ index | integer }}, t.s{{ index | integer }}
) AS v
