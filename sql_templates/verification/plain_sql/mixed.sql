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
