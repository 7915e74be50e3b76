{# grain: one row per release of the ledger, in order
   out: (number, release, run, k, promises, levels, columns (JSON), released, held back, gone,
       exposed, rows of the smallest trace, whether it is known to be published, when) #}
SELECT
    r.number, r.release_id, r.run, r.k, r.promises, r.levels, r.columns, r.released, r.held_back,
    r.gone, r.exposed, r.smallest, r.settled, STRFTIME(r.made, '%Y-%m-%d %H:%M:%S')
FROM ledger_releases AS r
ORDER BY r.number
