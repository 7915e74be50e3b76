{# How many pairs of a person and a sensitive value there certainly are.
   grain: one row
   in: reference (see verification/relational/reference)
   out: (pairs) #}
SELECT CAST(COALESCE(SUM(w.n), 0) AS BIGINT) AS pairs
FROM {{ reference | ident }} AS w
