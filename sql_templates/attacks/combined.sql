{# Rows by some of what is compared, numbered.
   grain: one row per distinct combination of the facets
   in: table (with the facets, n), made (the new table's name), facets (columns v<facet>)
   out: table made(id: from 1, v<facet>, n) #}
CREATE TABLE {{ made | ident }} AS
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ facets | listed('t.@ NULLS FIRST') }}) AS id,
    {{ facets | idents('t') }},
    CAST(SUM(t.n) AS BIGINT) AS n
FROM {{ table | ident }} AS t
GROUP BY {{ facets | idents('t') }}
