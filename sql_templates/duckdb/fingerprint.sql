{# What a table holds, in numbers of this engine's own: another content has other numbers.
   grain: one row
   in: relation, columns and their names
   out: rows, then a sum of hashes for each column, and one for whole rows #}
SELECT
    COUNT(*)
{% for column in columns %}
    , SUM(CAST(HASH(s.{{ column.name | ident }}) AS HUGEINT))
{% endfor %}
    , SUM(CAST(HASH({{ names | idents('s') }}) AS HUGEINT))
FROM {{ relation | ident }} AS s
