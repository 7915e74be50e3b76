{# Classes whose least and greatest value lie too near each other.
   grain: one row per such class
   in: see verification/keeping; model
   out: a SELECT of (keys, NULL, 1) #}
SELECT {{ keys | idents('t') }}, NULL, 1
FROM {{ table | ident }} AS t
JOIN {{ ('reference_' ~ model.index) | ident }} AS r
    ON r.code = t.{{ ('x' ~ model.index) | ident }}
WHERE t.n > 0
GROUP BY {{ keys | idents('t') }}
HAVING NOT COALESCE(
    MAX(r.x) - MIN(r.x) >= {{ (model.bound * (1 - promise.tolerance)) | number }},
    FALSE)
