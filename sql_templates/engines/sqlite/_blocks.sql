-- name: attach
{# in: name; the URL of the file is bound
   out: the file attached under that name #}
ATTACH DATABASE ? AS {{ name | ident }}

-- name: begin
{# out: a transaction that sees one state of each file from its first look at it #}
BEGIN

-- name: commit
{# out: the transaction has ended, and what it did is kept #}
COMMIT

-- name: copied_view
{# Give a file a view of another one without running what the view says.
   in: original (database), database, view (its name)
   out: the view, last of all objects #}
INSERT INTO {{ (database, 'sqlite_master') | ident }} (type, name, tbl_name, rootpage, sql)
SELECT m.type, m.name, m.tbl_name, m.rootpage, m.sql
FROM {{ (original, 'sqlite_master') | ident }} AS m
WHERE m.type = 'view' AND m.name = {{ view | literal }}

-- name: create
{# in: table, columns [(name, type)]
   out: the empty table #}
CREATE TABLE {{ table | ident }} (
{% for name, type in columns %}
    {{ name | ident }}{% if type %} {{ type | sql_type }}{% endif %}
    {% if not loop.last %},{% endif +%}
{% endfor %}
)

-- name: databases
{# grain: one row per attached file
   out: (number, name, path) #}
PRAGMA database_list

-- name: declared
{# grain: one row per column of a table, in order
   in: table (database and name)
   out: (name, type as it was declared) #}
SELECT c.name, c.type
FROM PRAGMA_TABLE_XINFO({{ table[1] | literal }}, {{ table[0] | literal }}) AS c
ORDER BY c.cid

-- name: definitions
{# grain: one row per object of an attached file, in the order in which they were made
   in: database
   out: (kind, name, the statement that it was made by) #}
SELECT m.type, m.name, m.sql
FROM {{ (database, 'sqlite_master') | ident }} AS m
ORDER BY m.rowid

-- name: detach
{# in: name
   out: the file is no longer attached #}
DETACH DATABASE {{ name | ident }}

-- name: fingerprint
{# What a table holds, in numbers of this engine's own: another content has other numbers.
   grain: one row
   in: relation, columns
   out: rows, and a sum of hashes of whole rows #}
SELECT
    COUNT(*),
    FINGERPRINT({{ columns | each('QUOTE(s.@)', " || ',' || ") }}{% if not columns %}''{% endif %})
FROM {{ relation | ident }} AS s

-- name: hashes
{# in: table, columns (by name), people (or none)
   out: a SELECT of (h1 …: a hash of each column below 2^52, p: of the person), one row per row #}
SELECT
    {{ columns | listed('HASHED($, QUOTE(s.@)) AS h$') }}{% if people %},{% endif +%}
{% if people %}
    HASHED(0, QUOTE(s.{{ people.name | ident }})) AS p
{% endif %}
FROM {{ table | ident }} AS s

-- name: hex_number
{# See engines/hex_number; anonsql adds the function to each connection.
   in: digits (a reference to a text), start (the position of the first)
   out: an expression: a DOUBLE #}
HEX_NUMBER(SUBSTR({{ digits | ident }}, {{ start | integer }}, 10))

-- name: keyed_hash
{# See engines/keyed_hash; anonsql adds the function to each connection.
   in: ledger_secret (inward, outward), hashed (a reference to a text)
   out: an expression #}
KEYED_HASH(
    {{ hashed | ident }},
    (SELECT z.inward FROM ledger_secret AS z), (SELECT z.outward FROM ledger_secret AS z)
)

-- name: objects
{# grain: one row per table, view, index or trigger of an attached file
   in: database, own (whether SQLite's own tables are left out)
   out: (kind, name) #}
SELECT m.type, m.name
FROM {{ (database, 'sqlite_master') | ident }} AS m
{% if own %}
WHERE m.name NOT LIKE 'sqlite^_%' ESCAPE '^'
{% endif %}
ORDER BY m.type, m.name

-- name: rollback
{# out: the transaction has ended, and what it did is gone #}
ROLLBACK

-- name: row_numbers
{# grain: one row
   in: table
   out: the least and the greatest number that SQLite gave a row, and how many rows there are #}
SELECT MIN(r.rowid), MAX(r.rowid), COUNT(*)
FROM {{ table | ident }} AS r

-- name: view_text
{# grain: one row, where there is such a view
   in: view (database and name)
   out: the statement that it was made by #}
SELECT m.sql
FROM {{ (view[0], 'sqlite_master') | ident }} AS m
WHERE m.type = 'view' AND m.name = {{ view[1] | literal }}
