{# The distinct combinations of codes of a table, those of the rows that they refer to counted in.
   grain: one row per combination
   in: coded (see relational/coded), attributes
   out: a SELECT of (cell, up, c1 …, n: rows) #}
SELECT
    CAST(ROW_NUMBER() OVER (
        ORDER BY t.up NULLS LAST {{ attributes | each(', t.c# NULLS LAST') }}
    ) AS BIGINT) AS cell,
    t.up,
    {{ attributes | each('t.c#,') }}
    CAST(COUNT(*) AS BIGINT) AS n
FROM {{ coded | ident }} AS t
GROUP BY t.up {{ attributes | each(', t.c#') }}
