{# The released tuples of quasi-identifying values.
   grain: one row per tuple
   in: judged_rows, values (names of its columns v<i>)
   out: table judged_tuples(id: from 1, v<i>, n) #}
CREATE TABLE judged_tuples AS
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ values | listed('r.@ NULLS FIRST') }}) AS id,
    {{ values | idents('r') }},
    CAST(SUM(r.n) AS BIGINT) AS n
FROM judged_rows AS r
GROUP BY {{ values | idents('r') }}
