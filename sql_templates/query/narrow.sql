{# The release by the columns that some questions are about.
   grain: one row per distinct combination
   in: facts, facets
   out: table narrow(fact: its number, c<index> …, n) #}
CREATE TABLE narrow AS
SELECT ROW_NUMBER() OVER () AS fact, {{ facets | each('k.c#,') }} k.n
FROM (
    SELECT {{ facets | each('f.c#,') }} CAST(SUM(f.n) AS BIGINT) AS n
    FROM facts AS f
    GROUP BY {{ facets | listed('f.c#') }}
) AS k
