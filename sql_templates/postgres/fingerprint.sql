{# What a table holds, in numbers of this engine's own: another content has other numbers.
   grain: one row
   in: relation, columns and their names
   out: rows, then a sum of hashes for each column, and one for whole rows #}
SELECT
    COUNT(*)
{% for column in columns %}
    , SUM(CAST(HASHTEXTEXTENDED(CAST(s.{{ column.name | ident }} AS TEXT), 0) AS NUMERIC))
{% endfor %}
    , SUM(CAST(HASHTEXTEXTENDED(CAST(ROW({{ names | idents('s') }}) AS TEXT), 0) AS NUMERIC))
FROM {{ relation | ident }} AS s
