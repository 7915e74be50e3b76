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
        {% include 'release/hashed.sql' %}
    ) AS h
) AS b
WHERE b."number of row" <= {{ rows | integer }}
