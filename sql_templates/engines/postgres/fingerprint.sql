{# What a table holds, in numbers of this engine's own: another content has other numbers.
   grain: one row
   in: relation, columns and their names
   out: rows, then a sum of hashes for each column, and one for whole rows #}
SELECT
    COUNT(*)
    {{ columns | each(', SUM(CAST(HASHTEXTEXTENDED(CAST(s.@ AS TEXT), 0) AS NUMERIC))') }}
    , SUM(CAST(HASHTEXTEXTENDED(CAST(ROW({{ names | idents('s') }}) AS TEXT), 0) AS NUMERIC))
FROM {{ relation | ident }} AS s
