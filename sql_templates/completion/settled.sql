{# The rows with the first values of theirs that lie in no class of less loss; where all do, with
   those drawn first again.
   grain: one row per draw and released row
   in: into, drawn (a table that completion/drawn makes), again (that of rows drawn again),
       labeled, kept, completed_misplaced(draw, hash: of the first), completed_misplaced_again
   out: table into(draw, hash, v<index>, t<index>, k<index>) #}
CREATE TABLE {{ into | ident }} AS
SELECT
    p.draw,
    {{ labeled | each('p.t#,') }}
    {{ labeled | each('p.v#,') }}
    {{ kept | each('p.k#,') }}
    p.combination,
    p.hash
FROM {{ drawn | ident }} AS p
LEFT JOIN completed_misplaced AS x ON x.draw = p.draw AND x.hash = p.hash
WHERE x.hash IS NULL
UNION ALL
SELECT
    q.draw,
    {{ labeled | each('q.t#,') }}
    {{ labeled | each('q.v#,') }}
    {{ kept | each('q.k#,') }}
    q.combination,
    q.own
FROM (
    SELECT
        p.*,
        ROW_NUMBER() OVER (
            PARTITION BY p.draw, p.own
            ORDER BY CASE WHEN x.hash IS NULL THEN 0 ELSE 1 END NULLS FIRST, p.again NULLS FIRST
        ) AS place
    FROM {{ again | ident }} AS p
    LEFT JOIN completed_misplaced_again AS x ON x.draw = p.draw AND x.hash = p.hash
) AS q
WHERE q.place = 1
