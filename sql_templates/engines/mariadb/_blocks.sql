-- name: charset
{# in: collation
   out: literals are UTF-8, and compared byte by byte #}
SET NAMES utf8mb4 COLLATE {{ collation | sql_type }}

-- name: create
{# in: table, columns [(name, type)]
   out: the empty table #}
CREATE TABLE {{ table | backquoted }} (
{% for name, type in columns %}
    {{ name | backquoted }} {{ type | sql_type }}{% if not loop.last %},{% endif +%}
{% endfor %}
)

-- name: create_database
{# in: name, collation
   out: an empty database, whose texts are compared byte by byte #}
CREATE DATABASE {{ name | backquoted }} CHARACTER SET utf8mb4 COLLATE {{ collation | sql_type }}

-- name: databases
{# grain: one row per database that the user sees
   out: (name) #}
SELECT s.SCHEMA_NAME FROM information_schema.SCHEMATA AS s ORDER BY s.SCHEMA_NAME

-- name: definition
{# grain: one row
   in: table
   out: (name, the statement that would make the table as it is) #}
SHOW CREATE TABLE {{ table | backquoted }}

-- name: drop_database
{# in: name
   out: the database is gone, with its tables #}
DROP DATABASE IF EXISTS {{ name | backquoted }}

-- name: drop_view
{# in: view
   out: the view is gone #}
DROP VIEW IF EXISTS {{ view | backquoted }}

-- name: flags
{# grain: one row
   in: table, columns (of type TINYINT(1))
   out: for each column, how many values are neither 0 nor 1 #}
SELECT
{% for column in columns %}
    COUNT(CASE WHEN s.{{ column.name | backquoted }} NOT IN (0, 1) THEN 1 END)
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | backquoted }} AS s

-- name: free
{# grain: one row
   in: name (of a lock)
   out: whether nobody has it #}
SELECT IS_FREE_LOCK({{ name | escaped }}) AS free

-- name: hex_number
{# See engines/hex_number.
   in: digits (a reference to a text), start (the position of the first)
   out: an expression: a DOUBLE #}
CAST(CONV(SUBSTR({{ digits | ident }}, {{ start | integer }}, 10), 16, 10) AS DOUBLE)

-- name: holder
{# grain: one row
   in: name (of a lock)
   out: (number of the connection that has it) #}
SELECT IS_USED_LOCK({{ name | escaped }}) AS holder

-- name: lock
{# grain: one row
   in: name (of a lock), seconds (to wait for it)
   out: whether this connection has it from now on #}
SELECT GET_LOCK({{ name | escaped }}, {{ seconds | integer }}) AS own

-- name: longest
{# The longest value of each of some text columns.
   grain: one row
   in: table, columns (by name)
   out: a column for each, in characters; 0 where there is no value #}
SELECT
{% for name in columns %}
    COALESCE(MAX(CHAR_LENGTH(s.{{ name | backquoted }})), 0)
        {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | backquoted }} AS s

-- name: make_database
{# in: name
   out: the database is there #}
CREATE DATABASE IF NOT EXISTS {{ name | backquoted }} CHARACTER SET utf8mb4

-- name: me
{# grain: one row
   out: (version, number of this connection) #}
SELECT VERSION() AS version, CONNECTION_ID() AS id

-- name: names
{# grain: one row per table or view of a database
   in: schema
   out: (name, whether it is a table) #}
SELECT t.TABLE_NAME, t.TABLE_TYPE = 'BASE TABLE' AS plain
FROM information_schema.TABLES AS t
WHERE t.TABLE_SCHEMA = {{ schema | escaped }}
ORDER BY t.TABLE_NAME

-- name: rename
{# in: moves [(relation, relation)]
   out: all tables have their new names, in one step #}
RENAME TABLE
{% for old, new in moves %}
    {{ old | backquoted }} TO {{ new | backquoted }}{% if not loop.last %},{% endif +%}
{% endfor %}

-- name: retype
{# in: table, types [(column, type)]
   out: the columns have these types, and nothing else: no default, no constraint, no comment #}
ALTER TABLE {{ table | backquoted }}
{% for name, type in types %}
    MODIFY {{ name | backquoted }} {{ type | sql_type }} NULL{% if not loop.last %},{% endif +%}
{% endfor %}

-- name: stored_order
{# The place of a row in the order in which a table is read: MariaDB sorts rows for a window, in no
   order of theirs, and counts them as they come with this function.
   in: r is the table
   out: an expression #}
ROWNUM()

-- name: tables
{# grain: one row per table or view that the user sees
   out: (database, name) #}
SELECT t.TABLE_SCHEMA, t.TABLE_NAME
FROM information_schema.TABLES AS t
WHERE t.TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')
    AND t.TABLE_SCHEMA NOT LIKE 'anonsql_scratch_%'
ORDER BY t.TABLE_SCHEMA, t.TABLE_NAME

-- name: use
{# in: name
   out: tables that are named without a database are of this one #}
USE {{ name | backquoted }}

-- name: view_text
{# grain: one row, where there is such a view
   in: view (database and name)
   out: the statement that it shows, without the server's own way to say that text is compared byte
       by byte #}
SELECT REPLACE(v.VIEW_DEFINITION, ' charset utf8mb4 binary', '') AS text
FROM information_schema.VIEWS AS v
WHERE v.TABLE_SCHEMA = {{ view[0] | escaped }} AND v.TABLE_NAME = {{ view[1] | escaped }}

-- name: views
{# grain: one row where a relation is a view
   in: relation
   out: (whose rights it is read with: DEFINER or INVOKER; whether this user made it; its text as
        far as this user may see it) #}
SELECT v.SECURITY_TYPE, v.DEFINER = CURRENT_USER() AS own, v.VIEW_DEFINITION
FROM information_schema.VIEWS AS v
WHERE v.TABLE_SCHEMA = {{ relation[0] | escaped }} AND v.TABLE_NAME = {{ relation[1] | escaped }}
