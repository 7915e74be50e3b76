{# How often texts of a column occur.
   grain: one row per text, or per text and value of another column
   in: table (relation), a (column), like (another column, or none)
   out: (text, the other value, NULL where there is none, rows) #}
SELECT
    {{ a | text('t', a.name) }} AS word,
    {% if like %}{{ like | value('t') }}{% else %}NULL{% endif %} AS other,
    COUNT(*) AS n
FROM {{ table | ident }} AS t
WHERE t.{{ a.name | ident }} IS NOT NULL
GROUP BY {{ a | text('t', a.name) }}{% if like %}, {{ like | value('t') }}{% endif +%}
