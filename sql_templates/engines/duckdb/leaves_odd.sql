{# Lines of a hierarchy file that are too short or too long, have an empty label, or a cell with
   blanks around it.
   grain: one row
   in: table (v0 …, more), levels
   out: (lines with a fault; lines) #}
SELECT
    COUNT(*) FILTER (WHERE
        p.more IS NOT NULL
        OR p.v0 IS NULL
        {{ range(1, levels) | each("OR COALESCE(p.v#, '') = ''") }}
        {{ range(levels) | each("OR TRIM(p.v#, ' ' || CHR(9) || CHR(160)) <> p.v#") }}
    ) AS odd,
    COUNT(*) AS n
FROM {{ table | ident }} AS p
