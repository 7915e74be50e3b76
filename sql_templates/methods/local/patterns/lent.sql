{# The marked rows, some of which are lent to a pattern that too few rows have. Positions are those
   among the rows of a pattern
   in any order: they were drawn by chance, so that it does not matter which.
   grain: one row per marked row
   in: marked, columns (its own but lent), loans(pattern, position: from 1, lent: 1), semi
   out: table lent_rows, alike, with lent 1 for the rows that are lent #}
{% from 'methods/local/patterns/macros.sql' import pattern %}
CREATE TABLE lent_rows AS
SELECT {{ columns | each('n.@,') }} CAST(COALESCE(l.lent, 0) AS INTEGER) AS lent
FROM (
    SELECT o.*, ROW_NUMBER() OVER (PARTITION BY o.own_pattern
        ORDER BY o.own_pattern NULLS FIRST) AS own_position
    FROM (
        SELECT m.*, {{ pattern(semi) }} AS own_pattern
        FROM marked AS m
    ) AS o
) AS n
LEFT JOIN loans AS l ON l.pattern = n.own_pattern AND l.position = n.own_position
