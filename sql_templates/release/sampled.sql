{# The rows of the source that a random sample has: each is kept with the same probability, by the
   first ten hexadecimal digits of a hash that only a secret salt knows.
   grain: one row per row that is kept
   in: source, names (of its columns), limit (draws below it are kept, of 2^40), numbered (the
       engine's template of a hexadecimal number), fence (that of its fence, or none), fresh_salt
   out: the columns #}
SELECT {{ names | idents('h') }}
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
WHERE {% with digits = ['h', 'hash of row'], start = 1 %}{% include numbered ~ '.sql' %}{% endwith %}
    < {{ limit | integer }}
