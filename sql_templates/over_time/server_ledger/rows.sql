{# The rows of a ledger, at hand for the statements that follow traces.
   grain: one row per row that was ever released
   in: table, source, columns
   out: the table, of those columns #}
CREATE TABLE {{ table | ident }} AS
SELECT {{ columns | listed('l.@') }} FROM {{ source | ident }} AS l
