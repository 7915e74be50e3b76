{# Which released tuples and combinations of the source match in all columns, where there are few of
   both.
   grain: one row per pair
   in: judged_tuple_steps, judged_cell_steps, covers_<index>, attributes (indices), steps (how many
       columns)
   out: table judged_matches_<steps>(tuple, cell: the numbers of the combinations) #}
CREATE TABLE judged_matches_{{ steps | integer }} AS
SELECT t.p{{ steps | integer }} AS tuple, c.p{{ steps | integer }} AS cell
FROM (
    SELECT DISTINCT s.p{{ steps | integer }}{{ attributes | each(', s.v#') }}
    FROM judged_tuple_steps AS s
) AS t
CROSS JOIN (
    SELECT DISTINCT s.p{{ steps | integer }}{{ attributes | each(', s.v#') }}
    FROM judged_cell_steps AS s
) AS c
WHERE {{ attributes | each('EXISTS (SELECT 1 FROM covers_# AS k WHERE k.label = t.v# AND k.code = c.v#)', ' AND ') }}
