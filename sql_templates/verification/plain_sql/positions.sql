{# The values of a release in their order, for anybody to run.
   grain: one row per value
   in: class_values (see verification/offence), mark (see anonsql.verification.plain_sql)
   out: a SELECT of (position, table_share) #}
SELECT DISTINCT
    v.{{ ('position' ~ mark) | ident }},
    v.{{ ('table_share' ~ mark) | ident }}
FROM {{ ('class_values' ~ mark) | ident }} AS v
