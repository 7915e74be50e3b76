{# Rows for a table of the catalog.
   in: table, width (how many columns it has), lists of their values as parameters
   out: appended #}
INSERT INTO {{ table | ident }} SELECT {{ range(width) | listed('UNNEST(?)') }}
