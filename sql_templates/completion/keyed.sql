{# The rows once for each draw, with a hash that tells them apart: of the seed, the draw, the tokens
   and the row's number among the rows that have the same ones.
   grain: one row per draw and released row
   in: into, completed_rows, completed_draws(draw), seed, labeled, kept, buckets
   out: table into(draw, hash, t<index>, w<index>, k<index>, g<index>) #}
CREATE TABLE {{ into | ident }} AS
SELECT
    d.draw,
    {{ labeled | each('o.t#, o.w#,') }}
    {{ kept | each('o.k#,') }}
    {{ buckets | each('o.g#,') }}
    MD5(
        {{ seed | literal }} || ':' || CAST(d.draw AS VARCHAR)
        {{ labeled | each("|| ':' || CAST(o.t# AS VARCHAR)") }}
        {{ buckets | each("|| ':' || COALESCE(CAST(o.g# AS VARCHAR), '')") }}
        || ':' || CAST(o.occurrence AS VARCHAR)
    ) AS hash
FROM completed_rows AS o
CROSS JOIN completed_draws AS d
