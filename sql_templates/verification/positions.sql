{# The values of the whole table in their order.
   grain: one row per value
   in: model (its index is the column's), reference_<index>
   out: a SELECT of (position, table_share) #}
SELECT r.place AS position, r.share AS table_share
FROM {{ ('reference_' ~ model.index) | ident }} AS r
