{# The values of the source that promises are about.
   grain: one row per combination of values
   in: source, coded
   out: table trace_whole(q<index>, n) #}
CREATE TABLE trace_whole AS
SELECT {{ coded | each('v.q#,') }} CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT {{ coded | listed('@(o) AS q#') }} FROM {{ source | ident }} AS o
) AS v
GROUP BY {{ coded | listed('v.q#') }}
