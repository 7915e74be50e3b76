{# The generalized values of one released row.
   grain: one row, none of an empty release
   in: table, columns, before (how many rows lie before it)
   out: (columns) #}
SELECT {{ columns | idents('r') }} FROM {{ table | ident }} AS r LIMIT 1 OFFSET {{ before | integer }}
