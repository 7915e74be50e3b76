{# How many pairs of a person and a sensitive value there certainly are, and how many people have no
   row of the column's table.
   grain: one row
   in: reference (see verification/relational/reference), number (of the table), verified_1,
       verified_<number>
   out: (pairs, without) #}
SELECT CAST(COALESCE(SUM(w.n), 0) AS BIGINT) AS pairs,
    (
        SELECT COUNT(*) FROM verified_1 AS o
        WHERE NOT EXISTS (
            SELECT 1 FROM {{ ('verified_' ~ number) | ident }} AS v WHERE v.person = o.id
        )
    ) AS without
FROM {{ reference | ident }} AS w
