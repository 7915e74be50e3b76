{# grain: one row, where there is such a view
   in: view (database and name)
   out: the statement that it shows, without the server's own way to say that text is compared byte
       by byte #}
SELECT REPLACE(v.VIEW_DEFINITION, ' charset utf8mb4 binary', '') AS text
FROM information_schema.VIEWS AS v
WHERE v.TABLE_SCHEMA = {{ view[0] | escaped }} AND v.TABLE_NAME = {{ view[1] | escaped }}
