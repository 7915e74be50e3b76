{# The least and the greatest value lie far enough apart, as a share of the column's range.
   in: model, promise; see privacy/ranges for what it is over
   out: a condition #}
COALESCE(
    MAX(v.x) - MIN(v.x) >= {{ (model.bound * (1 - promise.tolerance)) | number }} * MAX(v.width),
    FALSE
)
