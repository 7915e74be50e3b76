{# The rows of a table, no more of any person than a number, chosen at random: by another salt than
   the one that rows are numbered by, as keys would tell who had more rows than that.
   grain: one row per row that is left
   in: coded (see relational/coded), max_rows, fresh_salt
   out: a SELECT of the columns of the table #}
SELECT t.*
FROM {{ coded | ident }} AS t
LEFT JOIN (
    SELECT u.id, ROW_NUMBER() OVER (PARTITION BY u.person ORDER BY MD5(
        (SELECT z.salt FROM fresh_salt AS z) || CAST(u.id AS VARCHAR)) NULLS LAST) AS place
    FROM {{ coded | ident }} AS u
    JOIN (
        SELECT v.person
        FROM {{ coded | ident }} AS v
        GROUP BY v.person
        HAVING COUNT(*) > {{ max_rows | integer }}
    ) AS m ON m.person = u.person
) AS x ON x.id = t.id AND x.place > {{ max_rows | integer }}
WHERE x.id IS NULL
