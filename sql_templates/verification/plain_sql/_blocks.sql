-- name: mixed
{# Groups whose rows are not released alike, for anybody to run on a release.
   grain: one row per such group
   in: table, group (the column that numbers groups), cells (the columns that must be alike), mark
       (see anonsql.verification.plain_sql)
   out: (group, different_rows) #}
SELECT g.{{ group | ident }}, COUNT(*) AS {{ ('different_rows' ~ mark) | ident }}
FROM (
    SELECT DISTINCT t.{{ group | ident }}, {{ cells | idents('t') }}
    FROM {{ table | ident }} AS t
) AS g
GROUP BY g.{{ group | ident }}
HAVING COUNT(*) > 1

-- name: positions
{# The values of a release in their order, for anybody to run.
   grain: one row per value
   in: class_values (see verification/offence), mark (see anonsql.verification.plain_sql)
   out: a SELECT of (position, table_share) #}
SELECT DISTINCT
    v.{{ ('position' ~ mark) | ident }},
    v.{{ ('table_share' ~ mark) | ident }}
FROM {{ ('class_values' ~ mark) | ident }} AS v

-- name: small_classes
{# Equivalence classes of fewer rows than promised, for anybody to run on a release.
   grain: one row per such class
   in: table, keys (the columns whose values define the classes), masked (the columns that hold * in
       masked rows, which are no class: none where no row is masked), k, mark (see
       anonsql.verification.plain_sql)
   out: (keys, rows_in_class) #}
SELECT {{ keys | idents('t') }}, COUNT(*) AS {{ ('rows_in_class' ~ mark) | ident }}
FROM {{ table | ident }} AS t
{% if masked %}
WHERE NOT ({{ masked | each("COALESCE(t.@, '') = '*'", ' AND ') }})
{% endif %}
GROUP BY {{ keys | idents('t') }}
HAVING COUNT(*) < {{ k | integer }}
