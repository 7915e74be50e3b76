{# Rows that were dealt in another group than their cells', groups that go by several numbers, and
   numbers that several groups have.
   grain: one row
   in: local_rows (c1 … cn, grp, group_id), assigned, attributes
   out: (distinct combinations of cells and group that were not assigned, groups and numbers that do
       not go together) #}
SELECT
    (
        SELECT COUNT(*)
        FROM (SELECT DISTINCT {{ attributes | each('r.c#, ') }}r.grp FROM local_rows AS r) AS u
        LEFT JOIN assigned AS y
            ON {{ attributes | each('y.c# = u.c# AND ') }}y.grp = u.grp
        WHERE y.grp IS NULL
    ) AS elsewhere,
    (
        SELECT 2 * COUNT(*) - COUNT(DISTINCT v.grp) - COUNT(DISTINCT v.group_id)
        FROM (SELECT DISTINCT r.grp, r.group_id FROM local_rows AS r) AS v
    ) AS confused
