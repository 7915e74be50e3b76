{# The originals: the source's rows by the values of their quasi-identifying columns.
   grain: one row per distinct combination of codes
   in: source, dim_<index>, attributes
   out: table judged_cells(v<index>: code, n) #}
CREATE TABLE judged_cells AS
SELECT
    {{ attributes | each('COALESCE(d#.code, 0) AS v#,') }}
    CAST(COUNT(*) AS BIGINT) AS n
FROM {{ source | ident }} AS s
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
GROUP BY {{ attributes | listed('COALESCE(d#.code, 0)') }}
