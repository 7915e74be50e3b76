{# The keys that a table's constraints make, and those of other tables that refer to it.
   grain: one row per constraint
   in: relation
   out: (kind, its columns of this table, the other table of a foreign key, and its schema and
        name) #}
SELECT
    CASE c.contype WHEN 'p' THEN 'primary' WHEN 'u' THEN 'unique'
        WHEN 'f' THEN CASE e.own WHEN 1 THEN 'refers' ELSE 'referred' END END AS kind,
    ARRAY(
        SELECT CAST(a.attname AS pg_catalog.text)
        FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = e.relation
            AND a.attnum OPERATOR(pg_catalog.=) ANY (CASE e.own
            WHEN 1 THEN c.conkey ELSE c.confkey END)
        ORDER BY a.attnum
    ) AS names,
    CASE c.contype
        WHEN 'f' THEN CAST(CASE e.own
        WHEN 1 THEN c.confrelid ELSE c.conrelid END AS pg_catalog.regclass)::pg_catalog.text
        ELSE '' END AS other,
    CAST(n.nspname AS pg_catalog.text) AS schema,
    CAST(o.relname AS pg_catalog.text) AS name
FROM pg_catalog.pg_constraint AS c
CROSS JOIN (
    SELECT pg_catalog.to_regclass({{ relation | ident | literal }}) AS relation, 1 AS own
    UNION ALL
    SELECT pg_catalog.to_regclass({{ relation | ident | literal }}), 0
) AS e
LEFT JOIN pg_catalog.pg_class AS o
    ON c.contype = 'f' AND o.oid = CASE e.own WHEN 1 THEN c.confrelid ELSE c.conrelid END
LEFT JOIN pg_catalog.pg_namespace AS n ON n.oid = o.relnamespace
WHERE (e.own = 1 AND c.conrelid = e.relation AND c.contype IN ('p', 'u', 'f'))
   OR (e.own = 0 AND c.confrelid = e.relation AND c.contype = 'f')
ORDER BY 1, 3, 2
