{# Rows for a table of the catalog.
   in: table, width (how many columns it has), lists of their values, bound
   out: appended #}
INSERT INTO {{ table | ident }} SELECT {{ range(width) | listed('UNNEST(?)') }}
