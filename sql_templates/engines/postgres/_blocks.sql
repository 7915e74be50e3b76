-- name: analyze
{# in: table
   out: what the planner needs to know of it #}
ANALYZE {{ table | ident }}

-- name: claim
{# The lock of a release: nobody else can make a table of this name before the transaction ends, and
   only who may create tables in the schema can try.
   in: table
   out: an empty table, dropped before the transaction ends #}
CREATE TABLE {{ table | ident }} ()

-- name: copy_in
{# in: table
   out: its rows, from the client #}
COPY {{ table | ident }} FROM STDIN

-- name: create
{# Create a scratch table. Its text has the collation "C", so that it is compared byte by byte, as
   on every engine.
   in: table, columns [(name, type)], temporary (whether the table is made in the session's schema
       of temporary tables, where it cannot be UNLOGGED)
   out: the empty table #}
CREATE {% if not temporary %}UNLOGGED {% endif %}TABLE {{ table | ident }} (
{% for name, type in columns %}
    {{ name | ident }} {{ type | sql_type }}{% if type == 'TEXT' %}
        COLLATE "C"{% endif %}{% if not loop.last %},{% endif +%}
{% endfor %}
)

-- name: create_schema
{# in: schema, unless_there (whether it may be there already)
   out: it is there #}
CREATE SCHEMA {% if unless_there %}IF NOT EXISTS {% endif %}{{ schema | ident }}

-- name: drop
{# Drop a table or a view.
   in: table (its name), view (whether it is a view)
   out: the table or view no longer exists #}
DROP {% if view %}VIEW{% else %}TABLE{% endif %} {{ table | ident }}

-- name: drop_schema
{# in: schema
   out: it is gone with all that is in it #}
DROP SCHEMA {{ schema | ident }} CASCADE

-- name: forget
{# Drop tables and give their space back at once: one that is only dropped keeps it until the
   transaction ends.
   in: tables
   out: they are gone #}
TRUNCATE TABLE {{ tables | listed('@') }};
DROP TABLE {{ tables | listed('@') }}

-- name: fence
{# Keeps the planner from putting a subquery's expressions into the place of each use of them: a
   hash that a dozen others are computed from is computed once a row.
   out: the end of a subquery #}
OFFSET 0

-- name: fingerprint
{# What a table holds, in numbers of this engine's own: another content has other numbers.
   grain: one row
   in: relation, columns and their names
   out: rows, then a sum of hashes for each column, and one for whole rows #}
SELECT
    COUNT(*)
    {{ columns | each(', SUM(CAST(HASHTEXTEXTENDED(CAST(s.@ AS TEXT), 0) AS NUMERIC))') }}
    , SUM(CAST(HASHTEXTEXTENDED(CAST(ROW({{ names | idents('s') }}) AS TEXT), 0) AS NUMERIC))
FROM {{ relation | ident }} AS s

-- name: grant_select
{# Let a role read tables.
   in: tables (their names), role
   out: the role may read the tables #}
GRANT SELECT ON TABLE {{ tables | idents }} TO {{ role | ident }}

-- name: grant_usage
{# in: schema, role
   out: the role may look into the schema #}
GRANT USAGE ON SCHEMA {{ schema | ident }} TO {{ role | ident }}

-- name: hex_number
{# See engines/hex_number.
   in: digits (a reference to a text), start (the position of the first)
   out: an expression: a DOUBLE #}
CAST(CAST(CAST(
    'x' || SUBSTR({{ digits | ident }}, {{ start | integer }}, 10) AS BIT(40)
) AS BIGINT) AS DOUBLE)

-- name: hold
{# in: tables
   out: nobody drops or renames them until the transaction ends #}
LOCK TABLE {{ tables | idents }} IN ACCESS SHARE MODE

-- name: keep
{# in: table, scratch (a table)
   out: the table, with the rows of that, as durable as any #}
CREATE TABLE {{ table | ident }} AS
SELECT s.* FROM {{ scratch | ident }} AS s

-- name: keyed_hash
{# See engines/keyed_hash; compared byte by byte, as on every engine.
   in: ledger_secret (inward, outward), hashed (a reference to a text)
   out: an expression #}
{% include 'engines/keyed_hash.sql' %} COLLATE "C"

-- name: lock_timeout
{# in: seconds
   out: until the transaction ends, statements wait no longer for a lock #}
SELECT SET_CONFIG('lock_timeout', CAST({{ seconds | integer }} AS TEXT) || 's', TRUE)

-- name: me
{# The role and the database of this session, and what the role may do there.
   grain: one row
   out: (role, database, whether the role may create schemas, whether it may create temporary
       tables, whether the server is read-only) #}
SELECT
    CURRENT_USER,
    CURRENT_DATABASE(),
    HAS_DATABASE_PRIVILEGE(CURRENT_DATABASE(), 'CREATE'),
    HAS_DATABASE_PRIVILEGE(CURRENT_DATABASE(), 'TEMPORARY'),
    PG_IS_IN_RECOVERY() OR CURRENT_SETTING('default_transaction_read_only') = 'on'

-- name: move
{# in: table, schema
   out: the table lies in that schema #}
ALTER TABLE {{ table | ident }} SET SCHEMA {{ schema | ident }}

-- name: own
{# in: tables
   out: until the transaction ends, others may read them, and nobody else may hold them so #}
LOCK TABLE {{ tables | idents }} IN SHARE UPDATE EXCLUSIVE MODE

-- name: own_path
{# The path that this role's sessions have by themselves; the run's own is another.
   grain: one row
   out: (search_path as its owner wrote it, role) #}
SELECT s.reset_val, CURRENT_USER FROM pg_settings AS s WHERE s.name = 'search_path'

-- name: receive
{# in: table
   out: its rows, from the client as CSV, quoted where they are not NULL #}
COPY {{ table | ident }} FROM STDIN (FORMAT CSV)

-- name: replaced
{# The server's own look-up sees what was committed by now, the query what had been when the
   transaction began.
   grain: one row
   in: table
   out: (whether it is another table than it was then) #}
SELECT CAST(TO_REGCLASS({{ table | ident | literal }}) AS OID) IS DISTINCT FROM (
    SELECT c.oid
    FROM pg_class AS c
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = {{ table[0] | literal }} AND c.relname = {{ table[1] | literal }}
)

-- name: retype
{# in: table, types [(column, type)]
   out: the columns have these types; no value changes #}
ALTER TABLE {{ table | ident }}
{% for name, type in types %}
    ALTER COLUMN {{ name | ident }} TYPE {{ type | sql_type }}{% if not loop.last %},{% endif +%}
{% endfor %}

-- name: revoke
{# in: tables, or schema (the other is none)
   out: nobody but its owner and those who are named may use it #}
REVOKE ALL ON
    {% if schema %}SCHEMA {{ schema | ident }}{% else %}TABLE {{ tables | idents }}{% endif %}
    FROM PUBLIC

-- name: revoke_usage
{# in: schema, role
   out: the role may not look into the schema, nor make anything there #}
REVOKE ALL ON SCHEMA {{ schema | ident }} FROM {{ role | ident }}

-- name: savepoint
{# A savepoint, so that a statement that fails does not end the transaction that it is part of.
   in: to (set, or anything else to go back to it)
   out: the savepoint is set, or what was done since it is undone #}
{% if to == 'set' %}SAVEPOINT reading{% else %}ROLLBACK TO SAVEPOINT reading{% endif +%}

-- name: search_path
{# in: schemas (the run's own, in which nobody else can create; or none)
   out: names without a schema mean what lies in those and in the server's catalog. Temporary tables
        come last: left out, they would come first. #}
SET search_path TO {{ schemas | each('@, ') }}pg_catalog, pg_temp

-- name: sorting
{# in: allowed
   out: until the transaction ends, statements sort where another plan would do, or do not #}
SELECT SET_CONFIG('enable_sort', {% if allowed %}'on'{% else %}'off'{% endif %}, TRUE)

-- name: stored_order
{# The place of a row in the order in which a table is stored: rows arrive in another one where
   several processes read them.
   in: r is the table
   out: an expression #}
ROW_NUMBER() OVER (ORDER BY r.ctid)

-- name: transaction
{# Where a transaction begins and ends: everything in it sees the data of one moment.
   in: to (begin, commit, or anything else to roll back)
   out: a transaction has begun or ended #}
{% if to == 'begin' %}BEGIN ISOLATION LEVEL REPEATABLE READ{% elif to == 'commit' %}COMMIT
    {% else %}ROLLBACK{% endif +%}

-- name: view_text
{# grain: one row, where there is such a view
   in: view (schema and name)
   out: the query that it is #}
SELECT pg_catalog.pg_get_viewdef(c.oid)
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = {{ view[0] | literal }} AND c.relname = {{ view[1] | literal }}
    AND c.relkind = 'v'

-- name: without
{# in: what risks/kept/without asks for, its hashes made by this engine
   out: as that has it #}
{% include 'risks/kept/without.sql' %}

-- name: writers
{# grain: one row
   in: table
   out: how many transactions wrote its rows: a run is one, and each that came later marks rows #}
SELECT COUNT(DISTINCT CAST(t.xmin AS TEXT)) FROM {{ table | ident }} AS t
