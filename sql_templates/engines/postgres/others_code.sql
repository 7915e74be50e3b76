{# Functions and types of others that reading a relation may call: those of its view and of the
   views under that, of indexes and constraints, and of the types of its columns (their owner may
   give them casts of his own at any time). Superusers' and this role's own do no harm; those of
   whoever owns the relation, or one that its views read, do where that owner is not trusted.
   grain: one row per function or type
   in: relation, owners (whether the owners of the relations are trusted)
   out: (what it is, its name, its owner, this role, whether this role owns the relation) #}
WITH RECURSIVE
me AS (
    SELECT r.oid, r.rolname FROM pg_roles AS r WHERE r.rolname = CURRENT_USER
),
-- class: t the relation itself, r another relation, p function, y type, o operator
reached (class, oid) AS (
    SELECT CAST('t' AS TEXT), CAST(TO_REGCLASS({{ relation | ident | literal }}) AS OID)
    UNION
    SELECT e.class, e.oid
    FROM reached AS f
    CROSS JOIN LATERAL (
        -- a column's type
        SELECT CAST('y' AS TEXT) AS class, a.atttypid AS oid
        FROM pg_attribute AS a
        WHERE f.class = 't' AND a.attrelid = f.oid AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        -- what a view's query names
        SELECT c.class, d.refobjid
        FROM pg_rewrite AS w
        JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::REGCLASS AND d.objid = w.oid
        JOIN (VALUES
            ('r', 'pg_class'::REGCLASS), ('p', 'pg_proc'::REGCLASS),
            ('y', 'pg_type'::REGCLASS), ('o', 'pg_operator'::REGCLASS)
        ) AS c (class, catalog) ON c.catalog = d.refclassid
        WHERE f.class IN ('t', 'r') AND w.ev_class = f.oid AND w.ev_type = '1'
          AND d.refobjid <> f.oid
        UNION ALL
        -- the functions and types of a function, an operator, a type (its elements among them)
        SELECT c.class, d.refobjid
        FROM (VALUES
            ('p', 'pg_proc'::REGCLASS), ('y', 'pg_type'::REGCLASS), ('o', 'pg_operator'::REGCLASS)
        ) AS b (class, catalog)
        JOIN pg_depend AS d ON d.classid = b.catalog AND d.objid = f.oid
        JOIN (VALUES ('p', 'pg_proc'::REGCLASS), ('y', 'pg_type'::REGCLASS)) AS c (class, catalog)
            ON c.catalog = d.refclassid
        WHERE b.class = f.class
        UNION ALL
        -- constraints of a domain, and of a table, whose constant parts the planner computes
        SELECT 'p', d.refobjid
        FROM pg_constraint AS k
        JOIN pg_depend AS d ON d.classid = 'pg_constraint'::REGCLASS AND d.objid = k.oid
            AND d.refclassid = 'pg_proc'::REGCLASS
        WHERE (f.class = 'y' AND k.contypid = f.oid)
            OR (f.class IN ('t', 'r') AND k.conrelid = f.oid)
        UNION ALL
        -- so it does with those of an index
        SELECT 'p', d.refobjid
        FROM pg_index AS i
        JOIN pg_depend AS d ON d.classid = 'pg_class'::REGCLASS AND d.objid = i.indexrelid
            AND d.refclassid = 'pg_proc'::REGCLASS
        WHERE f.class IN ('t', 'r') AND i.indrelid = f.oid
        UNION ALL
        -- the fields of a composite type
        SELECT 'y', a.atttypid
        FROM pg_type AS y
        JOIN pg_attribute AS a ON a.attrelid = y.typrelid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE f.class = 'y' AND y.oid = f.oid AND y.typrelid <> 0
        UNION ALL
        -- casts from a type that the server does not come with
        SELECT 'p', k.castfunc
        FROM pg_cast AS k
        WHERE f.class = 'y' AND f.oid >= 16384 AND k.castsource = f.oid AND k.castfunc <> 0
    ) AS e
),
trusted AS (
    SELECT m.oid FROM me AS m
    {% if owners %}
    UNION
    SELECT c.relowner
    FROM reached AS f
    JOIN pg_class AS c ON c.oid = f.oid
    WHERE f.class IN ('t', 'r')
    {% endif %}
),
owned AS (
    SELECT 'function' AS kind, CAST(CAST(p.oid AS REGPROCEDURE) AS TEXT) AS name,
        p.proowner AS owner
    FROM reached AS f
    JOIN pg_proc AS p ON p.oid = f.oid
    WHERE f.class = 'p'
    UNION
    SELECT 'type', FORMAT_TYPE(y.oid, NULL), y.typowner
    FROM reached AS f
    JOIN pg_type AS y ON y.oid = f.oid
    WHERE f.class = 'y'
)
SELECT o.kind, o.name, CAST(r.rolname AS TEXT), CAST(m.rolname AS TEXT), c.relowner = m.oid
FROM owned AS o
JOIN pg_roles AS r ON r.oid = o.owner
CROSS JOIN me AS m
JOIN pg_class AS c ON c.oid = TO_REGCLASS({{ relation | ident | literal }})
WHERE NOT r.rolsuper
  AND NOT EXISTS (SELECT 1 FROM trusted AS t WHERE t.oid = o.owner)
  AND NOT PG_HAS_ROLE(o.owner, m.oid, 'MEMBER')
ORDER BY 1, 2
