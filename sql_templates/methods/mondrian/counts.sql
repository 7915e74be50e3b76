{# The frequency sets of the parts, one attribute at a time (Mondrian, section 4).
   grain: one row per part, attribute and place with rows
   in: members, candidates, attributes
   out: table counts(part, attribute, place, n) #}
CREATE TABLE counts AS
SELECT u.part, u.attribute, u.place, CAST(SUM(u.n) AS BIGINT) AS n
FROM (
    SELECT
        c.part, c.attribute,
        CASE c.attribute
            {{ attributes | each('WHEN # THEN m.p#') }}
        END AS place,
        m.n
    FROM {{ members | ident }} AS m
    JOIN candidates AS c ON c.part = m.part
) AS u
GROUP BY u.part, u.attribute, u.place
