-- name: attach
{# in: path of a DuckDB file, name
   out: its tables under that name, read-only #}
ATTACH {{ path | literal }} AS {{ name | ident }} (READ_ONLY)

-- name: clean_attach
{# in: path of the release file to be
   out: the new file under the name release, in the oldest storage format, so that DuckDB 1.x can
       read it #}
ATTACH {{ path | literal }} AS release (STORAGE_VERSION 'v1.0.0')

-- name: clean_csv
{# Write the rows of a release to a CSV file as RFC 4180 has it, in UTF-8, lines ended by a line
   feed: NULL is an empty field without quotes, an empty text one with quotes.
   in: file to write, and what engines/duckdb/clean_sorted takes
   out: the released file, its rows in that order #}
COPY (
{% include 'engines/duckdb/clean_sorted.sql' %}
) TO {{ file | literal }} (
{% include 'engines/duckdb/csv_form.sql' %}
)

-- name: clean_end
{# out: everything written to the file, no log beside it #}
CHECKPOINT release

-- name: clean_table
{# in: table, and what engines/duckdb/clean_sorted takes
   out: the released table, rows in that order #}
CREATE TABLE release.main.{{ table | ident }} AS
{% include 'engines/duckdb/clean_sorted.sql' %}

-- name: clean_use
{# out: names without a database mean the new file's, so that views in it name tables alone,
       whatever the file is called later #}
USE release

-- name: confined
{# out: no file may be opened but those that were allowed before; nothing takes that back #}
SET enable_external_access = false

-- name: confined_files
{# in: paths
   out: these files may be opened later on #}
SET allowed_paths = [{% for path in paths %}{{ path | literal }}{% if not loop.last %}, {% endif %}{% endfor %}]

-- name: confined_folders
{# in: folders
   out: the files in them may be opened later on #}
SET allowed_directories = [
    {%- for folder in folders %}{{ folder | literal }}{% if not loop.last %}, {% endif %}{% endfor -%}
]

-- name: copied
{# A table or view of an attached database as a table in memory, its rows in their order.
   grain: one row per row of it
   in: name (under which the database is attached), table
   out: the table #}
CREATE TABLE memory.main.{{ table | ident }} AS
SELECT * FROM {{ [name, 'main', table] | ident }} AS r

-- name: csv_closed
{# in: view
   out: the view is gone #}
DROP VIEW IF EXISTS {{ view | ident }}

-- name: csv_form
{# out: how the CSV files of releases are written #}
    FORMAT CSV, HEADER TRUE, DELIMITER ',', QUOTE '"', ESCAPE '"', NULLSTR ''

-- name: csv_seen
{# How often the fields of a CSV file's first line stand among the values of their columns; the
   fields are bound.
   grain: one row
   in: table, names (of its columns of text, in order)
   out: for each column, how many rows have it #}
SELECT
{% for name in names %}
    (SELECT COUNT(*) FROM {{ table | ident }} AS t WHERE t.{{ name | ident }} = ?)
    {%- if not loop.last %},{% endif +%}
{% endfor %}

-- name: csv_found
{# in: table, relation (of texts)
   out: the table #}
CREATE TABLE {{ table | ident }} AS SELECT * FROM {{ relation | ident }} AS t

-- name: csv_left
{# in: table
   out: (rows; how many of them have a value of another type) #}
SELECT COUNT(*), COUNT(*) FILTER (WHERE t.misfits) FROM {{ table | ident }} AS t

-- name: csv_named
{# The columns of a CSV file under their names.
   grain: one row per row of the file
   in: view, table, columns (field, name)
   out: the view #}
CREATE OR REPLACE VIEW {{ view | ident }} AS
SELECT
{% for c in columns %}
    t.{{ c.field | ident }} AS {{ c.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS t

-- name: csv_odd
{# Texts that may mean that no value is known, where all others are numbers or dates: they are short,
   and have no digit but zeros.
   grain: one row per text
   in: table (see engines/duckdb/csv_values), tokens (texts that are known to mean it), most
   out: (text) #}
{% from 'engines/duckdb/macros.sql' import no_number %}
SELECT d.bare
FROM {{ table | ident }} AS d
WHERE LENGTH(d.bare) <= 20 AND NOT REGEXP_MATCHES(d.bare, '[1-9]')
    AND d.bare NOT IN ({{ tokens | literals }})
    AND {{ no_number(['d', 'bare'], none) }} AND {{ no_number(['d', 'bare'], ',') }}
GROUP BY 1
ORDER BY 1
LIMIT {{ most | integer }}

-- name: csv_sample
{# The first rows of a CSV file, as text.
   grain: one row per row of them
   in: table, relation, most (rows)
   out: the table #}
CREATE OR REPLACE TABLE {{ table | ident }} AS
SELECT * FROM {{ relation | ident }} AS t LIMIT {{ most | integer }}

-- name: csv_summed
{# Whether the last row of a table has the sums of all others.
   grain: one row
   in: table (in the file's order), rows (how many there are), sums (fields of numbers), empty
       (fields of text)
   out: (for each field of numbers, whether it has; whether the others have no value there) #}
SELECT
{% for field in sums %}
    ABS(SUM(CAST(t.{{ field | ident }} AS DOUBLE)) FILTER (WHERE t.rowid < {{ (rows - 1) | integer }})
        - MAX(CAST(t.{{ field | ident }} AS DOUBLE))
            FILTER (WHERE t.rowid = {{ (rows - 1) | integer }}))
        <= 0.000000001 * MAX(CAST(t.{{ field | ident }} AS DOUBLE)),
{% endfor %}
{% for field in empty %}
    COUNT(t.{{ field | ident }}) FILTER (WHERE t.rowid = {{ (rows - 1) | integer }}) = 0 AND
{% endfor %}
    TRUE
FROM {{ table | ident }} AS t

-- name: csv_tokens
{# in: relation (of texts), field, tokens, blanks
   out: one row per token that occurs, without blanks: (token, rows) #}
{% from 'engines/duckdb/macros.sql' import unpadded %}
SELECT {{ unpadded(['t', field], blanks) }} AS token, COUNT(*)
FROM {{ relation | ident }} AS t
WHERE {{ unpadded(['t', field], blanks) }} IN ({{ tokens | literals }})
GROUP BY 1
ORDER BY 2 DESC, 1

-- name: csv_tokens_of_values
{# grain: one row per token that occurs among the values of a column
   in: table (see engines/duckdb/csv_values), tokens
   out: (token, rows) #}
SELECT d.bare AS token, CAST(SUM(d.often) AS BIGINT)
FROM {{ table | ident }} AS d
WHERE d.bare IN ({{ tokens | literals }})
GROUP BY 1
ORDER BY 2 DESC, 1

-- name: csv_values
{# grain: one row per distinct value of a column that is more than blanks
   in: table, rows (a table of texts), field, blanks
   out: the table with the value without blanks around it (bare), whether it has some (padded), and
       how many rows have it (often) #}
{% from 'engines/duckdb/macros.sql' import unpadded %}
CREATE OR REPLACE TABLE {{ table | ident }} AS
SELECT d.bare, d.bare <> d.v AS padded, d.often
FROM (
    SELECT g.v, g.often, {{ unpadded(['g', 'v'], blanks) }} AS bare
    FROM (
        SELECT t.{{ field | ident }} AS v, COUNT(*) AS often
        FROM {{ rows | ident }} AS t
        WHERE t.{{ field | ident }} IS NOT NULL
        GROUP BY 1
    ) AS g
) AS d
WHERE d.bare <> ''

-- name: describe
{# grain: one row per column of a relation, in order
   in: relation
   out: (name, type, …) #}
DESCRIBE SELECT * FROM {{ relation | ident }}

-- name: detach
{# Detach a database file, if it is attached.
   in: name (under which it is attached)
   out: the database is no longer attached #}
DETACH DATABASE IF EXISTS {{ name | ident }}

-- name: drop
{# in: tables
   out: they are gone #}
{{ tables | each('DROP TABLE IF EXISTS @', '; ') }}

-- name: frame
{# The rows of a data frame as a table.
   grain: one row per row of the frame
   in: table; given, the frame, which is registered under this name
   out: the table #}
CREATE TABLE {{ table | ident }} AS SELECT * FROM given AS g

-- name: from_query
{# What the query of a policy selects, read once.
   grain: one row per row of the query
   in: table, query (a SELECT that only reads)
   out: the table #}
CREATE TABLE {{ table | ident }} AS
{{ query | select }}

-- name: leaves_end
{# Take the last line of a hierarchy file away again: the mark of its end.
   in: table, mark, levels
   out: (how many lines were the mark, in the first field and in the last) #}
DELETE FROM {{ table | ident }}
WHERE v0 = {{ mark | literal }} AND v{{ (levels - 1) | integer }} = {{ mark | literal }}

-- name: leaves_more
{# Add the rows of one table to another with the same columns.
   in: table, part (a table)
   out: more rows in the table #}
INSERT INTO {{ table | ident }} SELECT p.* FROM {{ part | ident }} AS p

-- name: leaves_null
{# The labels of NULL, an empty first field, in a hierarchy of a file.
   in: table, levels
   out: (v1 …), two rows where NULL is mapped to more than one row of labels #}
SELECT DISTINCT {{ range(1, levels) | listed('p.v#') }}
FROM {{ table | ident }} AS p
WHERE p.v0 = ''
LIMIT 2

-- name: leaves_rows
{# The leaves of a hierarchy in their order.
   grain: one row per leaf
   in: table, levels
   out: (v0 …, place) #}
SELECT {{ range(levels) | each('p.v#,') }} p.place
FROM {{ table | ident }} AS p
ORDER BY p.place

-- name: load
{# in: table, columns [(name, type)]; their values are bound, one list a column
   out: the table with those rows, in the place of an older one #}
CREATE OR REPLACE TABLE {{ table | ident }} AS
SELECT
{% for name, type in columns %}
    CAST(UNNEST(?) AS {{ type | sql_type }})
        AS {{ name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}

-- name: load_numbers
{# in: given (arrays that the connection knows by that name), columns (their names), table
   out: the table with those columns, in the place of an older one #}
CREATE OR REPLACE TABLE {{ table | ident }} AS
SELECT {{ columns | idents('g') }} FROM {{ given | ident }} AS g

-- name: parquet_facts
{# What a Parquet file says of itself.
   grain: one row per entry of its metadata
   in: path
   out: (key, value) #}
SELECT DECODE(m.key) AS key, DECODE(m.value) AS value
FROM PARQUET_KV_METADATA({{ path | file }}) AS m

-- name: parquet_keys
{# grain: one row per entry of a Parquet file's metadata
   in: path
   out: key, bytes that are no text as escapes #}
SELECT COALESCE(TRY(DECODE(m.key)), CAST(m.key AS VARCHAR)) AS key
FROM PARQUET_KV_METADATA({{ path | file }}) AS m

-- name: parquet_names
{# grain: one row per column of a Parquet file, in order
   in: path
   out: (name) as written in the file, before DuckDB renames duplicates #}
SELECT s.name
FROM PARQUET_SCHEMA({{ path | file }}) AS s
WHERE s.name <> 'schema' AND s.name <> 'duckdb_schema' AND COALESCE(s.num_children, 0) = 0

-- name: memory
{# in: limit of the memory that DuckDB may use; what it holds beyond that is written to disk #}
SET memory_limit = {{ limit | literal }}

-- name: parquet_view
{# in: path of a Parquet file, name
   out: a view over it #}
CREATE OR REPLACE VIEW {{ name | ident }} AS SELECT *
    FROM READ_PARQUET({{ path | file }}, hive_partitioning = FALSE)

-- name: quiet
{# out: no progress bar of DuckDB's own #}
SET enable_progress_bar = FALSE

-- name: received
{# A table that another engine carried to the workbench.
   in: table, and what engines/duckdb/clean_rows takes
   out: the table #}
CREATE TABLE {{ table | ident }} AS
{% include 'engines/duckdb/clean_rows.sql' %}

-- name: staged_view
{# A view over a table that travels to the clean writer, as it will be released.
   in: name, and what engines/duckdb/clean_rows takes
   out: the view #}
CREATE OR REPLACE VIEW {{ name | ident }} AS
{% include 'engines/duckdb/clean_rows.sql' %}

-- name: tables
{# grain: one row per table or view of an attached database
   in: database
   out: (schema, name, whether it is a view) #}
SELECT t.schema_name, t.table_name, FALSE FROM DUCKDB_TABLES() AS t
    WHERE t.database_name = {{ database | literal }}
UNION ALL
SELECT v.schema_name, v.view_name, TRUE FROM DUCKDB_VIEWS() AS v
    WHERE v.database_name = {{ database | literal }} AND NOT v.internal
ORDER BY 1, 2

-- name: utc
{# out: timestamps with a time zone are read and written in UTC, wherever the machine stands #}
SET TimeZone = 'UTC'

-- name: view_text
{# grain: one row, where there is such a view
   in: view (database, schema and name)
   out: the statement that it was made by #}
SELECT v.sql
FROM DUCKDB_VIEWS() AS v
WHERE v.database_name = {{ view[0] | literal }} AND v.schema_name = {{ view[1] | literal }}
    AND v.view_name = {{ view[2] | literal }}
