{# grain: one row
   in: table
   out: how many transactions wrote its rows: a run is one, and each that came later marks rows #}
SELECT COUNT(DISTINCT CAST(t.xmin AS TEXT)) FROM {{ table | ident }} AS t
