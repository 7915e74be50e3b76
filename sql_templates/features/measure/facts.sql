{# The source by the codes of the columns that queries may ask for.
   grain: one row per distinct combination
   in: source, domain_<index>, columns
   out: table source_facts(c<index> …, n) #}
CREATE TABLE source_facts AS
SELECT
    {{ columns | each('COALESCE(d#.code, 0) AS c#,') }}
    CAST(COUNT(*) AS BIGINT) AS n
FROM {{ source | ident }} AS s
{{ columns | each('LEFT JOIN domain_# AS d# ON d#.value = @(s)') }}
GROUP BY {{ columns | listed('COALESCE(d#.code, 0)') }}
