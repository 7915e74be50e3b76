{# The types of a table's columns as a release has them: those that PostgreSQL itself brings, which
   have numbers below 16384, for the names of others, and of their values and fields, are words of
   somebody; text for others; without declared lengths and precisions, and with the collation of the
   type or "C" (950). A domain becomes what it is made of. Decimals have 38 digits, however many were
   declared, and keep how many stand after the point, which every value shows; so does every bit(n)
   show its length.
   grain: one row per column that has another type
   in: table
   out: (column, the type that it gets) #}
SELECT d.name, CASE
    WHEN d.type >= 16384 OR d.form NOT IN ('b', 'r', 'm') THEN 'text'
    WHEN d.digits BETWEEN 1 AND 38 AND d.scale BETWEEN 0 AND d.digits
        THEN CONCAT('numeric(38, ', d.scale, ')')
    ELSE FORMAT_TYPE(d.type, CASE WHEN d.fixed THEN d.modifier ELSE -1 END) END
FROM (
    SELECT t.*, t.type IN ('bit'::REGTYPE, 'bit[]'::REGTYPE) AS fixed,
        CASE WHEN t.type = 'numeric'::REGTYPE AND t.modifier <> -1
            THEN ((t.modifier - 4) >> 16) & 65535 END AS digits,
        CASE WHEN t.type = 'numeric'::REGTYPE AND t.modifier <> -1
            THEN (t.modifier - 4) & 2047 END AS scale
    FROM (
        SELECT a.attname AS name, a.attnum AS place, COALESCE(b.oid, y.oid) AS type,
            COALESCE(b.typtype, y.typtype) AS form,
            CASE WHEN b.oid IS NULL THEN a.atttypmod ELSE y.typtypmod END AS modifier,
            y.oid >= 16384 OR y.typtype NOT IN ('b', 'r', 'm')
                OR a.attcollation NOT IN (0, y.typcollation, 950) AS foreign_words
        FROM pg_attribute AS a
        JOIN pg_type AS y ON y.oid = a.atttypid
        LEFT JOIN pg_type AS b ON y.typtype = 'd' AND b.oid = y.typbasetype
        WHERE a.attrelid = TO_REGCLASS({{ table | ident | literal }}) AND a.attnum > 0
            AND NOT a.attisdropped
    ) AS t
) AS d
WHERE d.foreign_words
    OR d.modifier <> -1 AND NOT d.fixed
        AND (d.digits IS DISTINCT FROM 38 OR d.scale NOT BETWEEN 0 AND 38)
ORDER BY d.place
