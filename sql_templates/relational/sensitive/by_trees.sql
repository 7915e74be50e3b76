{# The rows of a table with all that is known of them where all rows are known in place of their
   classes: the kind of the tree below each, and of those below the rows that it refers to. A row
   right below a person needs no more: whole people are known besides.
   grain: one row per row
   in: table (its number, upper where it refers to another one than that of people),
       standing_<number>, trees_<number>, standing_<upper> (already so)
   out: a SELECT of (id, parent, person, class) #}
SELECT
    t.id,
    t.parent,
    t.person,
    {% if table.nested %}
    CAST(DENSE_RANK() OVER (ORDER BY u.class NULLS LAST, w.tree NULLS LAST) AS BIGINT) AS class
    {% else %}
    w.tree AS class
    {% endif %}
FROM {{ ('standing_' ~ table.number) | ident }} AS t
JOIN {{ ('trees_' ~ table.number) | ident }} AS w ON w.id = t.id
{% if table.nested %}
JOIN {{ ('standing_' ~ table.upper) | ident }} AS u ON u.id = t.parent
{% endif %}
