{# The rows of a table, no more of any person than a number, chosen at random: by another salt than
   the one that rows are numbered by, as keys would tell who had more rows than that.
   grain: one row per row that is left
   in: coded (see relational/coded), max_rows, fresh_salt
   out: a SELECT of the columns of the table, and place: which one of the person's it is #}
SELECT r.*
FROM (
    SELECT t.*, ROW_NUMBER() OVER (PARTITION BY t.person ORDER BY MD5(
        (SELECT z.salt FROM fresh_salt AS z) || CAST(t.id AS VARCHAR)) NULLS LAST) AS place
    FROM {{ coded | ident }} AS t
) AS r
WHERE r.place <= {{ max_rows | integer }}
