{# grain: one row
   in: marked, semi
   out: for each semi-sensitive attribute the rows of which nobody knows whether it is sensitive to
       them #}
SELECT {{ semi | listed('CAST(COALESCE(SUM(m.u#), 0) AS BIGINT) AS u#') }}
FROM marked AS m
