{# Values that more than one in l rows of their group or bucket have, for anybody to run on a
   release.
   grain: one row per such group and value
   in: apart (the table of values), group, value, count (names of its columns), least (l), mark (see
       anonsql.verification.plain_sql)
   out: (group, value, rows_with_value, rows_in_group) #}
SELECT
    v.{{ group | ident }},
    v.{{ value | ident }},
    v.{{ ('rows_with_value' ~ mark) | ident }},
    v.{{ ('rows_in_group' ~ mark) | ident }}
FROM (
    SELECT
        s.{{ group | ident }},
        s.{{ value | ident }},
        s.{{ ('rows_with_value' ~ mark) | ident }},
        SUM(s.{{ ('rows_with_value' ~ mark) | ident }}) OVER (PARTITION BY s.{{ group | ident }})
            AS {{ ('rows_in_group' ~ mark) | ident }}
    FROM (
        SELECT
            a.{{ group | ident }},
            a.{{ value | ident }},
            SUM(a.{{ count | ident }}) AS {{ ('rows_with_value' ~ mark) | ident }}
        FROM {{ apart | ident }} AS a
        GROUP BY a.{{ group | ident }}, a.{{ value | ident }}
    ) AS s
) AS v
WHERE v.{{ ('rows_with_value' ~ mark) | ident }} * {{ least | number }}
    > v.{{ ('rows_in_group' ~ mark) | ident }}
