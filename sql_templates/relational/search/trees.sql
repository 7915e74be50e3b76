{# The kinds of trees below the rows of a table: rows of one kind have one class, and the same kinds
   of rows below them, as often.
   grain: one row per row
   in: table (its number), below (the numbers of the tables that refer to it), standing_<number>,
       trees_<number> of those below
   out: a SELECT of (id, parent, tree) #}
SELECT t.id, t.parent, CAST(DENSE_RANK() OVER (
    ORDER BY t.class NULLS LAST
    {% for number in below %}
        , l{{ number | integer }}.trees NULLS LAST
    {% endfor %}
) AS BIGINT) AS tree
FROM {{ ('standing_' ~ table.number) | ident }} AS t
{% for number in below %}
LEFT JOIN (
    SELECT b.parent, STRING_AGG(CAST(b.tree AS VARCHAR), ',' ORDER BY b.tree NULLS LAST) AS trees
    FROM {{ ('trees_' ~ number) | ident }} AS b
    GROUP BY b.parent
) AS l{{ number | integer }} ON l{{ number | integer }}.parent = t.id
{% endfor %}
