{# Lines of a hierarchy file that are too short or too long, or have an empty label.
   grain: one row
   in: table (v0 …, more), levels
   out: (lines with a fault; lines) #}
SELECT
    COUNT(*) FILTER (WHERE
        p.more IS NOT NULL
        OR p.v0 IS NULL
        {{ range(1, levels) | each("OR COALESCE(p.v#, '') = ''") }}
    ) AS odd,
    COUNT(*) AS n
FROM {{ table | ident }} AS p
