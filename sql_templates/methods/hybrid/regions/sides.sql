{# The cells on both sides of the cuts that are made.
   grain: one row per cell of a region that is cut
   in: members, cuts, made(part, low, high: the numbers of the sides), attributes, table
   out: table <table>(part, p1 … pn, n) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    CASE
        WHEN CASE h.attribute
            {{ attributes | each('WHEN # THEN m.p#') }}
        END <= h.place THEN d.low
        ELSE d.high
    END AS part
    {{ attributes | each(', m.p#') }}
    , m.n
FROM {{ members | ident }} AS m
JOIN cuts AS h ON h.part = m.part
JOIN made AS d ON d.part = h.part
