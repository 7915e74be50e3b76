{# Whether more than a share of the rows is in classes that are smaller than accepted, for anybody to
   run on a release.
   grain: one row where that is so, else none
   in: table, keys (the columns whose values define the classes), masked (the columns that hold * in
       masked rows, which are no class: none where no row is masked), least (the accepted size),
       most (the share), mark (see anonsql.verification.plain_sql)
   out: (rows_at_risk, of_rows) #}
SELECT
    SUM(CASE WHEN c.{{ ('rows_in_class' ~ mark) | ident }}
            < {{ least | integer }}
        THEN c.{{ ('rows_in_class' ~ mark) | ident }}
        ELSE 0 END) AS {{ ('rows_at_risk' ~ mark) | ident }},
    SUM(c.{{ ('rows_in_class' ~ mark) | ident }})
        AS {{ ('of_rows' ~ mark) | ident }}
FROM (
    SELECT COUNT(*) AS {{ ('rows_in_class' ~ mark) | ident }}
    FROM {{ table | ident }} AS t
    {% if masked %}
    WHERE NOT ({{ masked | each("COALESCE(t.@, '') = '*'", ' AND ') }})
    {% endif %}
    GROUP BY {{ keys | idents('t') }}
) AS c
HAVING SUM(CASE WHEN c.{{ ('rows_in_class' ~ mark) | ident }}
        < {{ least | integer }}
    THEN c.{{ ('rows_in_class' ~ mark) | ident }}
    ELSE 0 END)
    > {{ most | number }} * SUM(c.{{ ('rows_in_class' ~ mark) | ident }})
