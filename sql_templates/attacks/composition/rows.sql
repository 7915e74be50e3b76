{# The rows of the source, numbered: a release's column of traces is joined by the number.
   grain: one row per row of the source
   in: source, row (name of the number's column), columns (those that releases may have)
   out: table together_rows(row, the columns by their names) #}
CREATE TABLE together_rows AS
SELECT
    ROW_NUMBER() OVER (ORDER BY r.{{ columns[0] | ident }} NULLS FIRST) AS {{ row | ident }},
    {{ columns | idents('r') }}
FROM {{ source | ident }} AS r
