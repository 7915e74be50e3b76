{# The source with the traces of its rows.
   grain: one row per row of named_rows
   in: source, key (a column), named_rows, name (of the column of traces)
   out: a SELECT of the source's columns and the trace #}
SELECT s.*, n.trace AS {{ name | ident }}
FROM {{ source | ident }} AS s
JOIN named_rows AS n ON n.k = {{ key | value('s') }}
