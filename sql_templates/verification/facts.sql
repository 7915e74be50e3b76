{# grain: one row per fact of a release's table of facts
   in: table, columns
   out: the facts #}
SELECT {{ columns | idents('f') }}
FROM {{ table | ident }} AS f
