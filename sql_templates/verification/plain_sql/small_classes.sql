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
