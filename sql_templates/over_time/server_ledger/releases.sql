{# grain: one row per release of the ledger, in order
   in: table
   out: (number, run, release, when, promises, levels, columns (JSON), k, released, held back, gone,
       exposed, rows of the smallest trace) #}
SELECT
    r.number, r.run, r.release_id, r.made, r.promises, r.levels, r.columns, r.k, r.released,
    r.held_back, r.gone, r.exposed, r.smallest
FROM {{ table | ident }} AS r
ORDER BY r.number NULLS FIRST
