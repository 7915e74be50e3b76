{# in: table (relation), a (column)
   out: (how many distinct values the column has) #}
SELECT COUNT(DISTINCT {{ a | value('t') }}) AS n
FROM {{ table | ident }} AS t
