{# What was decided of every row of the source that is released by groups. A part of a trace are its
   rows in groups that are released alike.
   grain: one row per row
   in: placed, source (the rows that groups were made of, with their traces), key (a column),
       attributes, dim_<index>, coded, within (the column of traces) with its values_<index>,
       assigned(c1 … cn, x<index> of within, grp), groups, keys (the columns of groups that are
       released)
   out: table grouped_rows(h, r, trace, part: 0 where the row is held back, x<index>) #}
CREATE TABLE grouped_rows AS
SELECT p.h, p.r, p.trace, {{ coded | each('p.x#,') }} COALESCE(g.part, 0) AS part
FROM placed AS p
LEFT JOIN (
    SELECT s.k, x.part
    FROM (
        SELECT
            {{ key | value('o') }} AS k
        {% for a in attributes %}
            , COALESCE(d#.g{{ a.min_level | integer }}, 0) AS c#
        {% endfor %}
            {{ within | each(', COALESCE(v#.code, 0) AS x#') }}
        FROM {{ source | ident }} AS o
        {{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(o)') }}
        {{ within | each('LEFT JOIN values_# AS v# ON v#.value = @(o)') }}
    ) AS s
    JOIN assigned AS a
        ON {{ attributes | each('a.c# = s.c#', ' AND ') }}
        {{ within | each('AND a.x# = s.x#') }}
    JOIN (
        SELECT
            y.grp,
            DENSE_RANK() OVER (ORDER BY {{ keys | listed('y.@ NULLS FIRST') }}) AS part
        FROM groups AS y
    ) AS x ON x.grp = a.grp
) AS g ON g.k = p.k
