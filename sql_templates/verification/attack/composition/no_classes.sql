{# The classes of a release that has no row: none.
   grain: no row
   in: number (of the release), columns (the numbers of its columns)
   out: table together_classes_<number>(w<column>, class, n) #}
CREATE TABLE together_classes_{{ number | integer }} AS
SELECT
    {{ columns | each('CAST(0 AS BIGINT) AS w#,') }}
    CAST(0 AS BIGINT) AS class,
    CAST(0 AS BIGINT) AS n
WHERE 1 = 0
