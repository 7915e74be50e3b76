{# Everything that lies in the database of a release, as far as this user may see it, and that is
   set of it; what its tables are made of, their definitions say.
   grain: one row per thing
   in: schema, comments (whether the server knows comments on databases)
   out: (kind, name, of: the table that it belongs to, or empty) #}
SELECT LOWER(REPLACE(t.TABLE_TYPE, 'BASE ', '')) AS kind, t.TABLE_NAME AS name, '' AS belongs
FROM information_schema.TABLES AS t
WHERE t.TABLE_SCHEMA = {{ schema | escaped }}
UNION ALL
SELECT LOWER(r.ROUTINE_TYPE), r.ROUTINE_NAME, ''
FROM information_schema.ROUTINES AS r
WHERE r.ROUTINE_SCHEMA = {{ schema | escaped }}
UNION ALL
SELECT 'event', e.EVENT_NAME, ''
FROM information_schema.EVENTS AS e
WHERE e.EVENT_SCHEMA = {{ schema | escaped }}
UNION ALL
SELECT 'trigger', g.TRIGGER_NAME, g.EVENT_OBJECT_TABLE
FROM information_schema.TRIGGERS AS g
WHERE g.EVENT_OBJECT_SCHEMA = {{ schema | escaped }} OR g.TRIGGER_SCHEMA = {{ schema | escaped }}
{% if comments %}
UNION ALL
SELECT 'comment on database', s.SCHEMA_NAME, ''
FROM information_schema.SCHEMATA AS s
WHERE s.SCHEMA_NAME = {{ schema | escaped }} AND s.SCHEMA_COMMENT <> ''
{% endif %}
UNION ALL
SELECT 'GRANT to everybody on', p.name, ''
FROM (
    SELECT a.GRANTEE AS who, a.TABLE_SCHEMA AS pattern, a.TABLE_SCHEMA AS name
    FROM information_schema.SCHEMA_PRIVILEGES AS a
    UNION ALL
    SELECT b.GRANTEE, b.TABLE_SCHEMA, b.TABLE_NAME FROM information_schema.TABLE_PRIVILEGES AS b
    UNION ALL
    SELECT c.GRANTEE, c.TABLE_SCHEMA, c.TABLE_NAME FROM information_schema.COLUMN_PRIVILEGES AS c
) AS p
WHERE {{ schema | escaped }} LIKE p.pattern
    AND (p.who LIKE '''PUBLIC''@%' OR p.who LIKE '''''@%')
