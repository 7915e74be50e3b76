{# Classes that are too far from the whole table by the ordered distance: what has to be carried
   past each value, over the number of steps.
   grain: one row per such class
   in: see verification/plain_sql/by_shares; missing (rows of the source that are not in
       the release)
   out: (keys, carried) #}
WITH {{ ('counted' ~ mark) | ident }} AS (
    SELECT
        {{ keys | idents('t') }},
        DENSE_RANK() OVER (ORDER BY {{ keys | idents('t') }})
            AS {{ ('class' ~ mark) | ident }},
        DENSE_RANK() OVER (ORDER BY t.{{ column | ident }} NULLS FIRST)
            AS {{ ('place' ~ mark) | ident }},
        CAST(
            {% if count is none %}COUNT(*){% else %}SUM(t.{{ count | ident }}){% endif +%}
            AS DOUBLE
        ) AS {{ ('n' ~ mark) | ident }}
    FROM {{ table | ident }} AS t
    GROUP BY {{ keys | idents('t') }}, t.{{ column | ident }}
),
{{ ('classes' ~ mark) | ident }} AS (
    SELECT
        {{ keys | idents('c') }},
        c.{{ ('class' ~ mark) | ident }},
        SUM(c.{{ ('n' ~ mark) | ident }}) AS {{ ('n' ~ mark) | ident }}
    FROM {{ ('counted' ~ mark) | ident }} AS c
    GROUP BY {{ keys | idents('c') }}, c.{{ ('class' ~ mark) | ident }}
),
{{ ('places' ~ mark) | ident }} AS (
    SELECT
        c.{{ ('place' ~ mark) | ident }},
        SUM(c.{{ ('n' ~ mark) | ident }}) / (
            SELECT SUM(w.{{ ('n' ~ mark) | ident }}) FROM {{ ('counted' ~ mark) | ident }} AS w
        ) AS {{ ('table_share' ~ mark) | ident }}
    FROM {{ ('counted' ~ mark) | ident }} AS c
    GROUP BY c.{{ ('place' ~ mark) | ident }}
),
{{ ('carried' ~ mark) | ident }} AS (
    SELECT
        {{ keys | idents('e') }},
        e.{{ ('class' ~ mark) | ident }},
        SUM(
            COALESCE(c.{{ ('n' ~ mark) | ident }}, 0) / e.{{ ('n' ~ mark) | ident }}
            - p.{{ ('table_share' ~ mark) | ident }}
        ) OVER (
            PARTITION BY e.{{ ('class' ~ mark) | ident }}
            ORDER BY p.{{ ('place' ~ mark) | ident }}
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS {{ ('carried' ~ mark) | ident }}
    FROM {{ ('classes' ~ mark) | ident }} AS e
    CROSS JOIN {{ ('places' ~ mark) | ident }} AS p
    LEFT JOIN {{ ('counted' ~ mark) | ident }} AS c
        ON c.{{ ('class' ~ mark) | ident }} = e.{{ ('class' ~ mark) | ident }}
        AND c.{{ ('place' ~ mark) | ident }} = p.{{ ('place' ~ mark) | ident }}
)
SELECT
    {{ keys | idents('m') }},
    SUM(ABS(m.{{ ('carried' ~ mark) | ident }})) AS {{ ('carried' ~ mark) | ident }}
FROM {{ ('carried' ~ mark) | ident }} AS m
GROUP BY {{ keys | idents('m') }}, m.{{ ('class' ~ mark) | ident }}
HAVING SUM(ABS(m.{{ ('carried' ~ mark) | ident }})) > {{ (model.bound + slack) | number }}
    * (COUNT(*) - 1 + {{ missing | integer }}) + {{ tolerance | number }}
