{# Groups or buckets whose table of values counts other than the rows that are in them, for anybody
   to run on a release.
   grain: one row per such group
   in: table (the rows), apart (the table of values), group, count (names of its columns; the rows
       have group), mark (see anonsql.verification.plain_sql)
   out: (group, rows_in_group, counted) #}
SELECT
    b.{{ group | ident }},
    SUM(b.{{ ('rows_in_group' ~ mark) | ident }}) AS {{ ('rows_in_group' ~ mark) | ident }},
    SUM(b.{{ ('counted' ~ mark) | ident }}) AS {{ ('counted' ~ mark) | ident }}
FROM (
    SELECT
        r.{{ group | ident }},
        COUNT(*) AS {{ ('rows_in_group' ~ mark) | ident }},
        0 AS {{ ('counted' ~ mark) | ident }}
    FROM {{ table | ident }} AS r
    WHERE r.{{ group | ident }} IS NOT NULL
    GROUP BY r.{{ group | ident }}
    UNION ALL
    SELECT s.{{ group | ident }}, 0, SUM(s.{{ count | ident }})
    FROM {{ apart | ident }} AS s
    GROUP BY s.{{ group | ident }}
) AS b
GROUP BY b.{{ group | ident }}
HAVING SUM(b.{{ ('rows_in_group' ~ mark) | ident }}) <> SUM(b.{{ ('counted' ~ mark) | ident }})
