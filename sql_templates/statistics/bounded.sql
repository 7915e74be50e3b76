{# Rows of the source of which nobody has more than so many: those of a person are drawn at random, by
   the order of hashes that only a secret salt knows.
   grain: one row per row that is kept
   in: source, names (of its columns), entity (a column), rows (of a person), fence (the engine's
       template of its fence, or none), fresh_salt
   out: the columns #}
SELECT {{ names | idents('b') }}
FROM (
    SELECT
        {{ names | idents('h') }},
        ROW_NUMBER() OVER (
            PARTITION BY {{ entity | value('h') }} ORDER BY h."hash of row" NULLS FIRST
        ) AS "number of row"
    FROM (
        SELECT
            {{ names | idents('n') }},
            MD5((SELECT z.salt FROM fresh_salt AS z) || CAST(n."place of row" AS VARCHAR))
                AS "hash of row"
        FROM (
            SELECT {{ names | idents('s') }}, ROW_NUMBER() OVER () AS "place of row"
            FROM {{ source | ident }} AS s
        ) AS n
        {% if fence %}{% include fence ~ '.sql' %}{% endif +%}
    ) AS h
) AS b
WHERE b."number of row" <= {{ rows | integer }}
