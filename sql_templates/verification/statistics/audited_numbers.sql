{# Numbers of the audited cells.
   grain: one row per cell, in the order of their numbers
   in: audited, columns, named (whether cells of one person have e)
   out: the columns, and where cells are named the number of the only person of a cell: 0 where it has
       several #}
SELECT
    {{ columns | listed('CAST(t.@ AS BIGINT) AS @') }}
    {% if named %}
    , CAST(CASE WHEN t.e IS NULL THEN 0 ELSE DENSE_RANK() OVER (ORDER BY t.e NULLS FIRST) END AS BIGINT) AS who
    {% endif %}
FROM audited AS t
ORDER BY t.cell
