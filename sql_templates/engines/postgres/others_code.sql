{# Functions and types that reading a relation may call, and that somebody may have put there: those
   of its view and of the views under that, of its partitions, of indexes, statistics, constraints
   and generated columns, whose constant parts the planner computes, and of the types of columns
   (their owner may give them casts of his own at any time). Superusers' and this role's own do no
   harm; those of whoever owns the relation, or one that its views read, do where that owner is not
   trusted. Whosever it is, a function does harm if the server records no calls of its body, or if
   it runs a statement that it is given as text.
   What comes with the server, or with an extension that a superuser made, is followed no further.
   A materialized view runs nothing: it has its rows.
   grain: one row per function, type or foreign server
   in: relation, owners (whether the owners of the relations are trusted), version (of the server,
       as a number)
   out: (what it is, its name, its owner, this role, whether this role owns the relation, what is
        wrong with it: owner, body or statement) #}
WITH RECURSIVE
me AS (
    SELECT r.oid, r.rolname FROM pg_roles AS r WHERE r.rolname = CURRENT_USER
),
-- class: t the relation itself, r another relation, i a partition or heir, whose owner need not be
-- theirs; p function, y type, o operator
reached (class, oid) AS (
    SELECT CAST('t' AS TEXT), CAST(TO_REGCLASS({{ relation | ident | literal }}) AS OID)
    UNION
    SELECT e.class, e.oid
    FROM reached AS f
    CROSS JOIN LATERAL (
        -- a column's type
        SELECT CAST('y' AS TEXT) AS class, a.atttypid AS oid
        FROM pg_attribute AS a
        WHERE f.class IN ('t', 'r', 'i') AND a.attrelid = f.oid AND a.attnum > 0
            AND NOT a.attisdropped
        UNION ALL
        -- what a view's query names
        SELECT c.class, d.refobjid
        FROM pg_rewrite AS w
        JOIN pg_class AS v ON v.oid = w.ev_class AND v.relkind = 'v'
        JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::REGCLASS AND d.objid = w.oid
        JOIN (VALUES
            ('r', 'pg_class'::REGCLASS), ('p', 'pg_proc'::REGCLASS),
            ('y', 'pg_type'::REGCLASS), ('o', 'pg_operator'::REGCLASS)
        ) AS c (class, catalog) ON c.catalog = d.refclassid
        WHERE f.class IN ('t', 'r', 'i') AND w.ev_class = f.oid AND w.ev_type = '1'
          AND d.refobjid <> f.oid
        UNION ALL
        -- the server's own functions in it, of which it records nothing
        SELECT 'p', CAST(m.found[1] AS OID)
        FROM pg_rewrite AS w
        JOIN pg_class AS v ON v.oid = w.ev_class AND v.relkind = 'v'
        CROSS JOIN LATERAL
            REGEXP_MATCHES(CAST(w.ev_action AS TEXT), ':funcid ([0-9]+)', 'g') AS m (found)
        WHERE f.class IN ('t', 'r', 'i') AND w.ev_class = f.oid AND w.ev_type = '1'
        {% if version >= 140000 %}
        UNION ALL
        SELECT 'p', CAST(m.found[1] AS OID)
        FROM pg_proc AS p
        CROSS JOIN LATERAL
            REGEXP_MATCHES(CAST(p.prosqlbody AS TEXT), ':funcid ([0-9]+)', 'g') AS m (found)
        WHERE f.class = 'p' AND p.oid = f.oid
        {% endif %}
        UNION ALL
        -- the functions and types of a function, an operator, a type (its elements among them), of
        -- how a table is partitioned; the relations of a function's body
        SELECT c.class, d.refobjid
        FROM (VALUES
            ('p', 'pg_proc'::REGCLASS), ('y', 'pg_type'::REGCLASS), ('o', 'pg_operator'::REGCLASS),
            ('t', 'pg_class'::REGCLASS), ('r', 'pg_class'::REGCLASS), ('i', 'pg_class'::REGCLASS)
        ) AS b (class, catalog)
        JOIN pg_depend AS d ON d.classid = b.catalog AND d.objid = f.oid
        JOIN (VALUES
            ('p', 'pg_proc'::REGCLASS), ('y', 'pg_type'::REGCLASS), ('o', 'pg_operator'::REGCLASS),
            ('r', 'pg_class'::REGCLASS)
        ) AS c (class, catalog)
            ON c.catalog = d.refclassid
        WHERE b.class = f.class AND (c.class <> 'r' OR b.class = 'p')
        UNION ALL
        -- what a type is made of
        SELECT 'y', b.oid
        FROM pg_type AS y
        CROSS JOIN LATERAL (VALUES (y.typbasetype), (y.typelem)) AS b (oid)
        WHERE f.class = 'y' AND y.oid = f.oid AND b.oid <> 0
        UNION ALL
        -- partitions, and tables that inherit
        SELECT 'i', h.inhrelid
        FROM pg_inherits AS h
        WHERE f.class IN ('t', 'r', 'i') AND h.inhparent = f.oid
        UNION ALL
        -- constraints of a domain and of a table, indexes, statistics, generated columns
        SELECT 'p', d.refobjid
        FROM (
            SELECT 'pg_constraint'::REGCLASS AS catalog, k.oid
            FROM pg_constraint AS k
            WHERE (f.class = 'y' AND k.contypid = f.oid)
                OR (f.class IN ('t', 'r', 'i') AND k.conrelid = f.oid)
            UNION ALL
            SELECT 'pg_class'::REGCLASS, i.indexrelid
            FROM pg_index AS i
            WHERE f.class IN ('t', 'r', 'i') AND i.indrelid = f.oid
            UNION ALL
            SELECT 'pg_statistic_ext'::REGCLASS, s.oid
            FROM pg_statistic_ext AS s
            WHERE f.class IN ('t', 'r', 'i') AND s.stxrelid = f.oid
            UNION ALL
            SELECT 'pg_attrdef'::REGCLASS, g.oid
            FROM pg_attrdef AS g
            JOIN pg_attribute AS a ON a.attrelid = g.adrelid AND a.attnum = g.adnum
            WHERE f.class IN ('t', 'r', 'i') AND g.adrelid = f.oid
                AND TO_JSONB(a) ->> 'attgenerated' <> ''
        ) AS b
        JOIN pg_depend AS d ON d.classid = b.catalog AND d.objid = b.oid
            AND d.refclassid = 'pg_proc'::REGCLASS
        UNION ALL
        -- the fields of a composite type
        SELECT 'y', a.atttypid
        FROM pg_type AS y
        JOIN pg_attribute AS a ON a.attrelid = y.typrelid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE f.class = 'y' AND y.oid = f.oid AND y.typrelid <> 0
        UNION ALL
        -- casts that the server does not come with
        SELECT 'p', k.castfunc
        FROM pg_cast AS k
        WHERE f.class = 'y' AND k.oid >= 16384 AND k.castsource = f.oid AND k.castfunc <> 0
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
functions AS (
    SELECT p.oid, p.proowner AS owner, CASE
        WHEN l.lanname IN ('internal', 'c') THEN
            CASE WHEN p.prosrc ~ CONCAT(
                '^((query|table|cursor|schema|database)_to_xml.*|ts_stat[12]|set_config_by_name|',
                'tsquery_rewrite_query|dblink.*|crosstab.*|connectby.*|xpath_table)$'
            ) THEN 'statement' END
        WHEN p.oid < 16384 {% if version >= 140000 %}OR p.prosqlbody IS NOT NULL{% endif %} OR (
            r.rolsuper AND EXISTS (
                SELECT 1
                FROM pg_depend AS d
                WHERE d.classid = 'pg_proc'::REGCLASS AND d.objid = p.oid AND d.deptype = 'e'
            )
        ) THEN NULL
        ELSE 'body' END AS wrong
    FROM reached AS f
    JOIN pg_proc AS p ON p.oid = f.oid
    JOIN pg_language AS l ON l.oid = p.prolang
    JOIN pg_roles AS r ON r.oid = p.proowner
    WHERE f.class = 'p'
),
owned AS (
    SELECT 'function' AS kind, CAST(CAST(p.oid AS REGPROCEDURE) AS TEXT) AS name, p.owner, p.wrong
    FROM functions AS p
    UNION
    SELECT 'type', FORMAT_TYPE(y.oid, NULL), y.typowner, NULL
    FROM reached AS f
    JOIN pg_type AS y ON y.oid = f.oid
    WHERE f.class = 'y'
    UNION
    SELECT 'foreign server', CAST(s.srvname AS TEXT), s.srvowner, NULL
    FROM reached AS f
    JOIN pg_foreign_table AS t ON t.ftrelid = f.oid
    JOIN pg_foreign_server AS s ON s.oid = t.ftserver
    WHERE f.class IN ('t', 'r', 'i')
),
judged AS (
    SELECT o.kind, o.name, r.rolname, CASE
        WHEN NOT r.rolsuper
            AND NOT EXISTS (SELECT 1 FROM trusted AS t WHERE t.oid = o.owner)
            AND NOT PG_HAS_ROLE(o.owner, m.oid, 'MEMBER') THEN 'owner'
        ELSE o.wrong END AS wrong
    FROM owned AS o
    JOIN pg_roles AS r ON r.oid = o.owner
    CROSS JOIN me AS m
)
SELECT j.kind, j.name, CAST(j.rolname AS TEXT), CAST(m.rolname AS TEXT), c.relowner = m.oid,
    j.wrong
FROM judged AS j
CROSS JOIN me AS m
JOIN pg_class AS c ON c.oid = TO_REGCLASS({{ relation | ident | literal }})
WHERE j.wrong IS NOT NULL
ORDER BY j.wrong DESC, 1, 2
