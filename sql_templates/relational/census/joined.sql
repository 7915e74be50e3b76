{# Kinds that are known together of the rows of a table, as kinds of their own.
   grain: one row per row and kind
   in: number (of the table), count (of all tables), kinds (see relational/census/counts),
       sets_<number> (see relational/census/sets)
   out: a SELECT of (holder, t, w) #}
SELECT
    s.holder,
    -(d.place * {{ (2 * count) | integer }} + {{ (2 * number) | integer }} + s.w - 2) AS t,
    s.w
FROM {{ ('sets_' ~ number) | ident }} AS s
JOIN (
    SELECT {{ kinds | idents('v') }},
        CAST(ROW_NUMBER() OVER (ORDER BY {{ kinds | listed('v.@ NULLS LAST') }}) AS BIGINT) AS place
    FROM {{ ('sets_' ~ number) | ident }} AS v
    GROUP BY {{ kinds | idents('v') }}
) AS d ON {{ kinds | each('d.@ = s.@', ' AND ') }}
