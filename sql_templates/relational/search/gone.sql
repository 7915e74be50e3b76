{# The people that have struck rows.
   grain: one row per person
   in: table (see relational/search/struck)
   out: a SELECT of (id) #}
SELECT DISTINCT x.person AS id FROM {{ table | ident }} AS x
