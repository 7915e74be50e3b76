{# The types of a table's columns without declared lengths and precisions. Decimals have 38 digits,
   however many were declared, and keep how many stand after the point, which every value shows; so
   does every bit(n) show its length.
   grain: one row per column that has a length
   in: table
   out: (column, its type without it) #}
SELECT d.name, CASE
    WHEN d.digits BETWEEN 1 AND 38 AND d.scale BETWEEN 0 AND d.digits
        THEN CONCAT('numeric(38, ', d.scale, ')')
    ELSE FORMAT_TYPE(d.type, -1) END
FROM (
    SELECT a.attname AS name, a.attnum AS place, a.atttypid AS type,
        CASE WHEN a.atttypid = 'numeric'::REGTYPE
            THEN ((a.atttypmod - 4) >> 16) & 65535 END AS digits,
        CASE WHEN a.atttypid = 'numeric'::REGTYPE
            THEN (a.atttypmod - 4) & 2047 END AS scale
    FROM pg_attribute AS a
    WHERE a.attrelid = TO_REGCLASS({{ table | ident | literal }}) AND a.attnum > 0
        AND NOT a.attisdropped AND a.atttypmod <> -1
        AND a.atttypid NOT IN ('bit'::REGTYPE, 'bit[]'::REGTYPE)
) AS d
WHERE d.digits IS DISTINCT FROM 38 OR d.scale NOT BETWEEN 0 AND 38
ORDER BY d.place
