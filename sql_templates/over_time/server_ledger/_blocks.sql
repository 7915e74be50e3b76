-- name: book
{# grain: one row
   in: table
   out: (secret, key column, coded columns (JSON), whether it was begun anew) #}
SELECT b.secret, b.key_column, b.coded_columns, b.anew FROM {{ table | ident }} AS b

-- name: releases
{# grain: one row per release of the ledger, in order
   in: table
   out: (number, run, release, when, promises, levels, columns (JSON), k, released, held back, gone,
       exposed, rows of the smallest trace) #}
SELECT
    r.number, r.run, r.release_id, r.made, r.promises, r.levels, r.columns, r.k, r.released,
    r.held_back, r.gone, r.exposed, r.smallest
FROM {{ table | ident }} AS r
ORDER BY r.number NULLS FIRST

-- name: rows
{# The rows of a ledger, at hand for the statements that follow traces.
   grain: one row per row that was ever released
   in: table, source, columns
   out: the table, of those columns #}
CREATE TABLE {{ table | ident }} AS
SELECT {{ columns | listed('l.@') }} FROM {{ source | ident }} AS l
