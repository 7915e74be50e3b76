{# Which classes keep what the policy promises; the others are to be suppressed.
   grain: one row per combination of the keys
   in: table (keys, promise.extras, promise.weights), keys (columns that name a class), promise
   out: a SELECT of (keys, n: rows, ok: whether the class keeps the promise) #}
SELECT {{ keys | idents('f') }}, f.n, f.n >= {{ promise.k | integer }} AS ok
FROM {{ table | ident }} AS f
