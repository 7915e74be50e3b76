{# The sensitive values that people have in any of their rows of a table; of those who have none
   there, none (-1).
   grain: one row per person and value
   in: table (its number), index (of the column), together (how many nodes there are),
       standing_1, standing_<number>, rows_<number>
   out: a SELECT of (person, code) #}
{% from 'relational/sensitive/macros.sql' import row_number %}
SELECT DISTINCT o.id AS person, COALESCE({{ ['r', 'x' ~ index] | ident }}, -1) AS code
FROM standing_1 AS o
LEFT JOIN {{ ('standing_' ~ table) | ident }} AS t ON t.person = o.id
LEFT JOIN {{ ('rows_' ~ table) | ident }} AS r
    ON r.id = {{ row_number(['t', 'id'], together) }}
