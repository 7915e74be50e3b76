{# The rows of a source, each with a hash that only a secret salt knows: by it rows are drawn.
   in: source, names (of its columns), fence (the engine's template of its fence, or none), fresh_salt
   out: a SELECT of the columns and "hash of row" #}
SELECT
    {{ names | idents('n') }},
    MD5((SELECT z.salt FROM fresh_salt AS z) || CAST(n."place of row" AS VARCHAR))
        AS "hash of row"
FROM (
    SELECT {{ names | idents('s') }}, ROW_NUMBER() OVER () AS "place of row"
    FROM {{ source | ident }} AS s
) AS n
{% if fence %}{% include fence ~ '.sql' %}{% endif +%}
