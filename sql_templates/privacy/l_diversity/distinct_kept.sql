{# At least l values of the column.
   in: model, promise; see privacy/counts for what it is over
   out: a condition #}
COUNT(DISTINCT f.{{ ('x' ~ model.index) | ident }}) >= {{ model.bound | number }}
