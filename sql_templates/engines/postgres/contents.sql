{# Everything in the schema of a release, all that belongs or refers to its tables, and whatever can
   be set of them: by what the catalog says that depends on them, so that a kind of object which is
   new to this statement is in it, too. Not listed is what every table has (its row type, the array
   of that, where long values are stored), what lies in other schemas and only reads the release
   (views and functions), and what was granted to roles by name.
   grain: one row per thing
   in: schema, tables, views (those of the release)
   out: (kind, name, of: the table that it belongs to, or empty) #}
WITH own AS (
    SELECT c.oid, c.relname, c.relkind, c.reltype, c.relnamespace, c.reltoastrelid
    FROM pg_class AS c
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = {{ schema | literal }}
      AND ((c.relkind = 'r' AND c.relname IN ({{ tables | literals }}))
          OR (c.relkind = 'v' AND c.relname IN ({{ (views or [none]) | literals }})))
),
-- what every table has
parts (catalog, oid, name) AS (
    SELECT CAST('pg_class' AS REGCLASS), o.oid, o.relname FROM own AS o
    UNION ALL
    SELECT CAST('pg_class' AS REGCLASS), o.reltoastrelid, o.relname
    FROM own AS o
    WHERE o.reltoastrelid <> 0
    UNION ALL
    SELECT CAST('pg_class' AS REGCLASS), x.indexrelid, o.relname
    FROM own AS o
    JOIN pg_index AS x ON x.indrelid = o.reltoastrelid
    UNION ALL
    SELECT CAST('pg_type' AS REGCLASS), y.oid, o.relname
    FROM own AS o
    JOIN pg_type AS y ON y.oid = o.reltype OR y.typelem = o.reltype
    UNION ALL
    SELECT CAST('pg_rewrite' AS REGCLASS), w.oid, o.relname
    FROM own AS o
    JOIN pg_rewrite AS w ON w.ev_class = o.oid AND w.ev_type = '1' AND o.relkind = 'v'
),
spaces AS (
    SELECT n.oid, n.nspname FROM pg_namespace AS n WHERE n.nspname = {{ schema | literal }}
),
-- what depends on them, or on the schema; objects of other schemas that read them do no harm
dependents (catalog, oid) AS (
    SELECT d.classid, d.objid
    FROM parts AS p
    JOIN pg_depend AS d ON d.refclassid = p.catalog AND d.refobjid = p.oid
    LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::REGCLASS AND w.oid = d.objid
        AND w.ev_type = '1'
    LEFT JOIN pg_class AS v ON v.oid = w.ev_class AND v.relkind IN ('v', 'm')
    LEFT JOIN pg_proc AS f ON d.classid = 'pg_proc'::REGCLASS AND f.oid = d.objid
    WHERE COALESCE(v.relnamespace, f.pronamespace) IS NULL
      OR COALESCE(v.relnamespace, f.pronamespace) IN (SELECT s.oid FROM spaces AS s)
    UNION
    SELECT d.classid, d.objid
    FROM spaces AS s
    JOIN pg_depend AS d ON d.refclassid = 'pg_namespace'::REGCLASS AND d.refobjid = s.oid
),
listed (kind, name, of) AS (
    SELECT i.type, COALESCE(i.name, i.identity), ''
    FROM dependents AS d
    CROSS JOIN LATERAL PG_IDENTIFY_OBJECT(d.catalog, d.oid, 0) AS i
    WHERE i.type IS NOT NULL AND d.catalog <> 'pg_default_acl'::REGCLASS
      AND NOT EXISTS (
          SELECT 1
          FROM parts AS p
          WHERE p.catalog = d.catalog AND p.oid = d.oid
            AND NOT EXISTS (SELECT 1 FROM own AS o WHERE o.oid = p.oid)
      )
    UNION ALL
    -- what they depend on besides the types and collations of columns: a parent, a type of tables
    SELECT CONCAT('descent from ', i.type), COALESCE(i.name, i.identity), o.relname
    FROM own AS o
    JOIN pg_depend AS d ON d.classid = 'pg_class'::REGCLASS AND d.objid = o.oid AND d.objsubid = 0
        AND d.refclassid NOT IN ('pg_namespace'::REGCLASS, 'pg_am'::REGCLASS)
    CROSS JOIN LATERAL PG_IDENTIFY_OBJECT(d.refclassid, d.refobjid, 0) AS i
    UNION ALL
    -- words
    SELECT m.kind, COALESCE(i.identity, ''), ''
    FROM (
        SELECT p.catalog, p.oid FROM parts AS p
        UNION ALL
        SELECT 'pg_namespace'::REGCLASS, s.oid FROM spaces AS s
    ) AS p
    JOIN (
        SELECT 'comment on' AS kind, d.classoid, d.objoid, d.objsubid FROM pg_description AS d
        UNION ALL
        SELECT 'security label on', d.classoid, d.objoid, d.objsubid FROM pg_seclabel AS d
    ) AS m ON m.classoid = p.catalog AND m.objoid = p.oid
    CROSS JOIN LATERAL PG_IDENTIFY_OBJECT(m.classoid, m.objoid, m.objsubid) AS i
    UNION ALL
    -- what is set of a table
    SELECT p.kind, o.relname, ''
    FROM own AS o
    JOIN pg_class AS c ON c.oid = o.oid
    CROSS JOIN LATERAL (VALUES
        ('storage option of', c.reloptions IS NOT NULL),
        ('storage option of', EXISTS (
            SELECT 1 FROM pg_class AS t WHERE t.oid = o.reltoastrelid AND t.reloptions IS NOT NULL
        )),
        ('unlogged or temporary table', c.relpersistence <> 'p'),
        ('row-level security of', c.relrowsecurity OR c.relforcerowsecurity),
        ('replica identity of', o.relkind = 'r' AND c.relreplident <> 'd'),
        ('partition bound of', c.relispartition),
        ('GRANT to PUBLIC on', EXISTS (
            SELECT 1 FROM ACLEXPLODE(c.relacl) AS g WHERE g.grantee = 0
        ))
    ) AS p (kind, is_set)
    WHERE p.is_set
    UNION ALL
    -- and of a column
    SELECT p.kind, a.attname, o.relname
    FROM own AS o
    JOIN pg_attribute AS a ON a.attrelid = o.oid AND a.attnum > 0
    LEFT JOIN pg_type AS y ON y.oid = a.atttypid
    CROSS JOIN LATERAL (VALUES
        ('dropped column', a.attisdropped),
        ('NOT NULL of', a.attnotnull),
        ('value for older rows of', a.atthasmissing),
        ('identity or generation of', a.attidentity <> '' OR TO_JSONB(a) ->> 'attgenerated' <> ''),
        ('inherited column', a.attinhcount <> 0 OR NOT a.attislocal),
        ('options of', a.attoptions IS NOT NULL OR a.attfdwoptions IS NOT NULL),
        ('statistics target of', COALESCE(TO_JSONB(a) ->> 'attstattarget', '-1') <> '-1'),
        ('compression of', COALESCE(TO_JSONB(a) ->> 'attcompression', '') <> ''),
        ('storage of', a.attstorage <> y.typstorage),
        -- what PostgreSQL itself brings has a number below 16384
        ('type of', a.atttypid >= 16384 OR y.typtype NOT IN ('b', 'r', 'm')),
        ('collation of', o.relkind = 'r' AND a.attcollation NOT IN (0, y.typcollation, 950)),
        ('declared length of', o.relkind = 'r' AND a.atttypmod <> -1
            AND a.atttypid NOT IN ('bit'::REGTYPE, 'bit[]'::REGTYPE)
            AND NOT (a.atttypid = 'numeric'::REGTYPE AND (a.atttypmod - 4) >> 16 = 38
                AND ((a.atttypmod - 4) & 65535) <= 38)),
        ('GRANT to PUBLIC on', EXISTS (
            SELECT 1 FROM ACLEXPLODE(a.attacl) AS g WHERE g.grantee = 0
        ))
    ) AS p (kind, is_set)
    WHERE p.is_set AND (p.kind = 'dropped column' OR NOT a.attisdropped)
)
SELECT DISTINCT CAST(l.kind AS TEXT), CAST(l.name AS TEXT), CAST(l.of AS TEXT)
FROM listed AS l
ORDER BY 1, 2, 3
