{# How many people have how many rows of another table.
   grain: one row per number of rows
   in: people (relation), key, rows (relation), reference
   out: (number of rows, number of people) #}
SELECT v.rows_of_person, COUNT(*) AS people
FROM (
    SELECT p.{{ key | ident }}, COUNT(r.{{ reference | ident }}) AS rows_of_person
    FROM {{ people | ident }} AS p
    LEFT JOIN {{ rows | ident }} AS r ON r.{{ reference | ident }} = p.{{ key | ident }}
    GROUP BY p.{{ key | ident }}
) AS v
GROUP BY v.rows_of_person
ORDER BY v.rows_of_person
