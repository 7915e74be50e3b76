{# grain: one row per column of a relation, in order; domains as what they are made of
   in: relation
   out: (name, type as PostgreSQL spells it, whether it is an enumeration, whether its values can be
       grouped) #}
SELECT
    a.attname,
    CASE WHEN y.typtype = 'd' THEN FORMAT_TYPE(y.typbasetype, y.typtypmod)
        ELSE FORMAT_TYPE(a.atttypid, a.atttypmod) END,
    COALESCE(b.typtype, y.typtype) = 'e',
    COALESCE(b.typname, y.typname) NOT IN ('json', 'xml', 'point', 'line', 'lseg', 'box', 'path',
        'polygon', 'circle', 'jsonpath', '_json', '_xml')
FROM pg_attribute AS a
JOIN pg_type AS y ON y.oid = a.atttypid
LEFT JOIN pg_type AS b ON y.typtype = 'd' AND b.oid = y.typbasetype
WHERE a.attrelid = TO_REGCLASS({{ relation | ident | literal }}) AND a.attnum > 0
    AND NOT a.attisdropped
ORDER BY a.attnum
