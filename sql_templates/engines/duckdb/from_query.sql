{# What the query of a policy selects, read once.
   grain: one row per row of the query
   in: table, query (a SELECT that only reads)
   out: the table #}
CREATE TABLE {{ table | ident }} AS
{{ query | select }}
