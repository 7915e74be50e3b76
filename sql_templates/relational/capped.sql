{# The rows of a table, no more of any person than a number, chosen at random: ids are random.
   grain: one row per row that is left
   in: coded (see relational/coded), max_rows
   out: a SELECT of the columns of the table, and place: which one of the person's it is #}
SELECT r.*
FROM (
    SELECT t.*, ROW_NUMBER() OVER (PARTITION BY t.person ORDER BY t.id NULLS LAST) AS place
    FROM {{ coded | ident }} AS t
) AS r
WHERE r.place <= {{ max_rows | integer }}
