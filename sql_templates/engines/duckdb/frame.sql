{# The rows of a data frame as a table.
   grain: one row per row of the frame
   in: table; given, the frame, which is registered under this name
   out: the table #}
CREATE TABLE {{ table | ident }} AS SELECT * FROM given AS g
