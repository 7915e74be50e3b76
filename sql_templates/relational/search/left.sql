{# The rows of a table that are left when others are suppressed.
   grain: one row per row that is left
   in: table (its number, upper), standing_<number>, suppressed (a table of ids of its own; none
       where there is none), standing_<upper> as it is left
   out: a SELECT of (id, parent, person, class) #}
SELECT t.id, t.parent, t.person, t.class
FROM {{ ('standing_' ~ table.number) | ident }} AS t
{% if table.upper %}
JOIN {{ ('standing_' ~ table.upper) | ident }} AS p ON p.id = t.parent
{% endif %}
{% if suppressed %}
LEFT JOIN {{ suppressed | ident }} AS x ON x.id = t.id
WHERE x.id IS NULL
{% endif %}
