{# The rows of a table by all that is known of them where whole trees are known: the kind of the
   tree below each, and of those below the rows that it refers to, but for the person's.
   grain: one row per row
   in: number (of the table), upper (the number of the table that it refers to; none where that is
       the one of people), whole_<number>, shape_<upper>
   out: a SELECT of (id, shape) #}
SELECT
    w.id,
    {% if upper %}
    DENSE_RANK() OVER (ORDER BY u.shape NULLS FIRST, w.kind NULLS FIRST) AS shape
    {% else %}
    w.kind AS shape
    {% endif %}
FROM {{ ('whole_' ~ number) | ident }} AS w
{% if upper %}
JOIN {{ ('shape_' ~ upper) | ident }} AS u ON u.id = w.parent
{% endif %}
