{# The leaves of a hierarchy of a file: each of its lines once, NULL's left out.
   grain: one row per distinct line
   in: table (v0 …, place, line), levels
   out: the table in its own place, with the leaves' places in their order from 0 #}
CREATE OR REPLACE TABLE {{ table | ident }} AS
SELECT
    {{ range(levels) | each('p.v#,') }}
    CAST(ROW_NUMBER() OVER (ORDER BY MIN(p.place)) - 1 AS INTEGER) AS place,
    MIN(p.line) AS line
FROM {{ table | ident }} AS p
WHERE p.v0 <> ''
GROUP BY {{ range(levels) | listed('p.v#') }}
