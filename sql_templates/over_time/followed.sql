{# The source without the rows that are held back. (SQLite and MariaDB would look through all of
   held for every row if it said NOT EXISTS.)
   grain: one row per row to be released
   in: source, key (a column), held
   out: a SELECT of the source's columns #}
SELECT s.*
FROM {{ source | ident }} AS s
LEFT JOIN held AS x ON x.k = {{ key | value('s') }}
WHERE x.k IS NULL
