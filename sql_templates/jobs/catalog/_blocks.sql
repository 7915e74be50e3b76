-- name: append
{# Rows for a table of the catalog.
   in: table, width (how many columns it has), lists of their values as parameters
   out: appended #}
INSERT INTO {{ table | ident }} SELECT {{ range(width) | listed('UNNEST(?)') }}

-- name: begin_run
{# in: command, version, source, release (in words), account (of the operating system)
   out: the new run's number #}
INSERT INTO runs (run, command, version, started, status, source, release, account)
SELECT COALESCE(MAX(r.run), 0) + 1, {{ command | literal }}, {{ version | literal }},
    CURRENT_TIMESTAMP, 'running', {{ source | literal }}, {{ release | literal }},
    {{ account | literal }}
FROM runs AS r
RETURNING run

-- name: earlier
{# grain: one row per table of a release and report of it
   out: (table of the release, report as JSON) #}
SELECT DISTINCT p.table_name, r.report
FROM runs AS r
JOIN releases AS p ON p.run = r.run
WHERE r.report IS NOT NULL

-- name: end_run
{# in: run, status, error (its message, or none)
   out: the run is marked as ended #}
UPDATE runs SET ended = CURRENT_TIMESTAMP, status = {{ status | literal }},
    error = {{ error | literal }} WHERE run = {{ run | integer }}

-- name: first_edges
{# E_1: each level to the one above.
   out: table lattice.edges_1("start", "end") #}
CREATE TABLE lattice.edges_1 AS
SELECT p.id AS "start", q.id AS "end"
FROM lattice.nodes_1 AS p
JOIN lattice.nodes_1 AS q ON q.dim1 = p.dim1 AND q.index1 = p.index1 + 1

-- name: first_nodes
{# C_1: the levels of each attribute's hierarchy.
   grain: one row per attribute and level
   out: table lattice.nodes_1(id, dim1, index1) #}
CREATE TABLE lattice.nodes_1 AS
SELECT CAST(ROW_NUMBER() OVER (ORDER BY a.dim, l.level) AS INTEGER) AS id, a.dim AS dim1,
    CAST(l.level AS INTEGER) AS index1
FROM lattice.attributes AS a, RANGE(a.min_level, a.max_level + 1) AS l (level)

-- name: forget_nodes
{# out: the lattice of the search before is gone #}
DELETE FROM nodes

-- name: last_release
{# The run whose release is the published one: the last that published to that place.
   grain: at most one row
   in: database, table
   out: (what it was made from, its report) #}
SELECT r.made_from, r.report
FROM runs AS r
JOIN releases AS p ON p.run = r.run
WHERE p.database = {{ database | literal }} AND p.table_name = {{ table | literal }}
ORDER BY r.run DESC
LIMIT 1

-- name: last_state
{# What the last run that published to a place recorded of its files.
   grain: at most one row
   in: database, table
   out: (state of the files as JSON, report as JSON) #}
SELECT r.files, r.report
FROM runs AS r
WHERE r.run = (
    SELECT MAX(p.run)
    FROM releases AS p
    WHERE p.database = {{ database | literal }} AND p.table_name = {{ table | literal }}
)

-- name: lattice_attributes
{# grain: one row per quasi-identifying attribute, in policy order
   in: rows (dim, name, min_level, max_level) #}
CREATE TABLE lattice.attributes AS
SELECT * FROM (VALUES {{ rows | rows }}) AS a (dim, name, min_level, max_level)

-- name: lattice_begin
{# out: an empty schema lattice #}
CREATE SCHEMA lattice

-- name: lattice_drop
{# out: the schema lattice of an earlier search is gone #}
DROP SCHEMA IF EXISTS lattice CASCADE

-- name: ledger
{# grain: one row, none where there is no ledger
   out: (secret, key column, coded columns, whether it was begun anew) #}
SELECT l.secret, l.key_column, l.coded_columns, l.anew FROM ledgers AS l

-- name: ledger_begin
{# A new ledger. Its secret is bound to the statement, not written into it.
   in: four bindings
   out: its line #}
INSERT INTO ledgers
SELECT UNNEST(?), UNNEST(?), STRING_SPLIT(UNNEST(?), CHR(0)), UNNEST(?)

-- name: ledger_drop
{# in: table
   out: it is gone, if it was there #}
DROP TABLE IF EXISTS {{ table | ident }}

-- name: ledger_empty
{# in: table
   out: it has no rows #}
DELETE FROM {{ table | ident }}

-- name: ledger_entries
{# grain: one row per release of the ledger, in order
   out: (number, release, run, k, promises, levels, columns (JSON), released, held back, gone,
       exposed, rows of the smallest trace, whether it is known to be published, when) #}
SELECT
    r.number, r.release_id, r.run, r.k, r.promises, r.levels, r.columns, r.released, r.held_back,
    r.gone, r.exposed, r.smallest, r.settled, STRFTIME(r.made, '%Y-%m-%d %H:%M:%S')
FROM ledger_releases AS r
ORDER BY r.number

-- name: ledger_rename
{# out: the next rows of the ledger are its present ones #}
ALTER TABLE ledger_next RENAME TO ledger_rows

-- name: ledger_rows
{# The rows of a ledger, present or next.
   in: table, and what engines/duckdb/clean_rows takes
   out: the table #}
CREATE OR REPLACE TABLE {{ table | ident }} AS
{% include 'engines/duckdb/clean_rows.sql' %}

-- name: ledger_settle
{# out: the pending release is known to be published #}
UPDATE ledger_releases SET settled = TRUE

-- name: ledger_unannounce
{# out: the pending release was not published, and is forgotten #}
DELETE FROM ledger_releases WHERE NOT settled

-- name: levels
{# grain: one row per quasi-identifying column
   in: run
   out: (column, level, digest of the hierarchy) that the run published #}
SELECT p.column_name, p.level, p.hierarchy
FROM releases AS p
WHERE p.run = {{ run | integer }}

-- name: made_from
{# What a run's release was made from, where that is known.
   grain: at most one row
   in: run
   out: (fingerprint and number of the release) #}
SELECT r.made_from FROM runs AS r
WHERE r.run = {{ run | integer }} AND r.made_from IS NOT NULL

-- name: mark_killed
{# Runs that never ended: whoever holds the catalog knows that nobody else runs.
   out: they are marked #}
UPDATE runs SET status = 'killed' WHERE status = 'running'

-- name: published
{# in: run, report (JSON), made_from (or none)
   out: what the run published and from what #}
UPDATE runs SET report = {{ report | literal }}, made_from = {{ made_from | literal }}
    WHERE run = {{ run | integer }}

-- name: read_edges
{# grain: one row per direct generalization of a pass
   in: size (how many attributes its nodes have)
   out: (start, end) #}
SELECT e."start", e."end"
FROM lattice.edges_{{ size | integer }} AS e
ORDER BY e."start", e."end"

-- name: read_nodes
{# grain: one row per candidate of a pass
   in: size (how many attributes its nodes have)
   out: (id, dim1, index1, …) #}
SELECT n.id{{ range(1, size + 1) | each(', n.dim#, n.index#') }}

FROM lattice.nodes_{{ size | integer }} AS n
ORDER BY n.id

-- name: release
{# in: run, database, table, levels [(column, level, digest of the hierarchy)]
   out: one row for each quasi-identifying column of the release #}
INSERT INTO releases
SELECT {{ run | integer }}, {{ database | literal }}, {{ table | literal }}, CURRENT_TIMESTAMP,
    l.column_name, l.level, l.hierarchy
FROM (VALUES {{ levels | rows }}) AS l (column_name, level, hierarchy)

-- name: report_of
{# The report of the run that published a release.
   grain: at most one row
   in: release (its number)
   out: report (JSON) #}
SELECT r.report
FROM runs AS r
WHERE r.report IS NOT NULL AND ENDS_WITH(r.made_from, ' ' || {{ release | literal }})
ORDER BY r.run DESC
LIMIT 1

-- name: state
{# in: database, table, files (JSON)
   out: what the last run that published to a place knows of its files #}
UPDATE runs SET files = {{ files | literal }}
WHERE run = (
    SELECT MAX(p.run)
    FROM releases AS p
    WHERE p.database = {{ database | literal }} AND p.table_name = {{ table | literal }}
)

-- name: state_of_last
{# What the last run that published recorded of its files.
   grain: at most one row
   in: nothing
   out: (state of the files as JSON, report as JSON, source in words, release in words) #}
SELECT r.files, r.report, r.source, r.release
FROM runs AS r
WHERE r.run = (SELECT MAX(p.run) FROM releases AS p)

-- name: statements_of
{# grain: one row per statement of a run, in order
   in: run
   out: (number, plane, name, rows, milliseconds) #}
SELECT s.number, s.plane, s.name, s.rows, s.milliseconds
FROM statements AS s
WHERE s.run = {{ run | integer }}
ORDER BY s.number

-- name: tables
{# grain: one row per table of a catalog file
   out: (schema, name) #}
SELECT t.schema_name, t.table_name
FROM DUCKDB_TABLES() AS t
WHERE t.database_name = CURRENT_DATABASE() AND NOT t.internal

-- name: transaction
{# in: begins (whether it begins or ends)
   out: a transaction begins, or ends #}
{% if begins %}BEGIN{% else %}COMMIT{% endif %}

-- name: undo
{# out: nothing of the transaction is done #}
ROLLBACK

-- name: verdicts
{# grain: one row per candidate of a pass; class sizes only where it was checked #}
CREATE TABLE lattice.verdicts (
    size INTEGER, id INTEGER, satisfied BOOLEAN, checked BOOLEAN, classes BIGINT, min_class BIGINT,
        suppressed BIGINT
)
