{# How often the fields of a CSV file's first line stand among the values of their columns; the
   fields are bound.
   grain: one row
   in: table (of texts), names (of its columns)
   out: for each column, how many rows have it #}
SELECT
    {{ names | listed('COUNT(*) FILTER (WHERE @ = ?)') }}
FROM {{ table | ident }}
