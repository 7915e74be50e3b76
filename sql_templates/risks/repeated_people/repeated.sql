{# grain: one row
   in: table, columns (as star/value takes them)
   out: for each column the number of its values that are not NULL, and how many of those differ #}
SELECT
    {{ columns | listed('COUNT(s.@), COUNT(DISTINCT @(s))') }}
FROM {{ table | ident }} AS s
