{# How many people have struck rows.
   grain: one row
   in: table (see relational/search/struck)
   out: (number of people) #}
SELECT COUNT(DISTINCT x.person) AS people FROM {{ table | ident }} AS x
