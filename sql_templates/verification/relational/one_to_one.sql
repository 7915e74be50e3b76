{# Whether keys and surrogates belong together one to one.
   grain: one row
   in: map (a table of values and surrogates)
   out: (rows, different values, different surrogates) #}
SELECT COUNT(*) AS total, COUNT(DISTINCT m.value) AS keys, COUNT(DISTINCT m.surrogate) AS surrogates
FROM {{ map | ident }} AS m
