{# Classes that are too far from the whole table by the ordered distance (Li et al. 2007, section
   4.1): what has to be carried past each value but the last, over their number. Up to
   promise.missing values of the whole table are not to be seen.
   grain: one row per such class
   in: see verification/offence; positions (the template of w: position and table_share of every
       value of the table) and what it takes
   out: (keys, rows_in_class) #}
WITH {{ ('class_values' ~ mark) | ident }} AS (
    {% include values ~ '.sql' +%}
)
SELECT
    {{ keys | idents('c') }},
    CAST(SUM(c.{{ ('rows_with_value' ~ mark) | ident }}) AS BIGINT)
        AS {{ ('rows_in_class' ~ mark) | ident }}
FROM (
    SELECT
        {{ keys | idents('p') }},
        p.{{ ('rows_with_value' ~ mark) | ident }},
        SUM(p.{{ ('surplus' ~ mark) | ident }}) OVER (
            PARTITION BY {{ keys | idents('p') }}
            ORDER BY p.{{ ('position' ~ mark) | ident }} NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS {{ ('carried' ~ mark) | ident }}
    FROM (
        SELECT
            {{ keys | idents('e') }},
            e.{{ ('position' ~ mark) | ident }},
            SUM(e.{{ ('rows_with_value' ~ mark) | ident }})
                AS {{ ('rows_with_value' ~ mark) | ident }},
            SUM(e.{{ ('share' ~ mark) | ident }}) AS {{ ('surplus' ~ mark) | ident }}
        FROM (
            SELECT
                {{ keys | idents('s') }},
                s.{{ ('position' ~ mark) | ident }},
                s.{{ ('rows_with_value' ~ mark) | ident }},
                s.{{ ('share' ~ mark) | ident }}
            FROM {{ ('class_values' ~ mark) | ident }} AS s
            UNION ALL
            SELECT
                {{ keys | idents('k') }},
                w.{{ ('position' ~ mark) | ident }},
                0,
                -w.{{ ('table_share' ~ mark) | ident }}
            FROM (
                SELECT DISTINCT {{ keys | idents('s') }}
                FROM {{ ('class_values' ~ mark) | ident }} AS s
            ) AS k
            CROSS JOIN (
                {% include positions ~ '.sql' +%}
            ) AS w
        ) AS e
        GROUP BY {{ keys | idents('e') }}, e.{{ ('position' ~ mark) | ident }}
    ) AS p
) AS c
GROUP BY {{ keys | idents('c') }}
HAVING SUM(ABS(c.{{ ('carried' ~ mark) | ident }})) > {{ (model.bound + promise.slack) | number }}
    * (COUNT(*) - 1 + {{ promise.missing | integer }}) + {{ promise.tolerance | number }}
